import Glibc
import KeyrackProtocol

/// Answers the daemon's calls, each from the start: nothing is remembered that the keyring could have changed.
final class KeyringCalls {
  /// The names of attributes that are ours. A service may add its own: KeePassXC shows an entry's fields as attributes.
  private static let names: Set = ["app", "kind", "account", "session", "provider"]

  private let channel: Channel
  private var bus: SessionBus?
  private var items: SecretItems?

  init(channel: Channel) { self.channel = channel }

  /// Ends the process where the session bus has died.
  func answer(_ call: KeyringCall) -> KeyringAnswer {
    if let fault = call.fault { return KeyringAnswer(.failed, message: fault) }
    do throws(ServiceError) {
      do throws(ServiceError) {
        return try perform(call)
      } catch .stale {
        // The service was started anew. All calls may be done twice.
        items = nil
        return try perform(call)
      }
    } catch {
      switch error {
      case .locked: return KeyringAnswer(.locked)
      case .unavailable(let message), .stale(let message): return KeyringAnswer(.unavailable, message: message)
      case .failed(let message): return KeyringAnswer(.failed, message: message)
      case .busLost: exit(KeyringAnswer.busLostStatus)
      }
    }
  }

  private func perform(_ call: KeyringCall) throws(ServiceError) -> KeyringAnswer {
    let bus = try sessionBus()
    if case .connect = call.call {
      try bus.ping()
      return KeyringAnswer(.done)
    }
    let collection = try openCollection(call, bus)
    switch call.call {
    case .connect, .prepare: return KeyringAnswer(.done)
    case .find: return KeyringAnswer(.done, items: try find(call, bus))
    case .store: return try store(call, in: collection)
    case .replace: return try replace(call, in: collection, bus)
    case .remove: return try remove(call, bus)
    }
  }

  private func sessionBus() throws(ServiceError) -> SessionBus {
    if let bus { return bus }
    let opened = try SessionBus()
    bus = opened
    return opened
  }

  private func secretItems() throws(ServiceError) -> SecretItems {
    if let items { return items }
    let opened = try SecretItems()
    items = opened
    return opened
  }

  // MARK: The lock

  /// The default collection, unlocked. A locked one looks exactly like an empty one to a search, so this comes before
  /// all else. Without a collection nothing can be stored either, and the remedy is the same: the person signs in to
  /// their desktop; so that counts as locked.
  private func openCollection(_ call: KeyringCall, _ bus: SessionBus) throws(ServiceError) -> String {
    guard let collection = try bus.defaultCollection() else {
      guard call.create else { throw .locked }
      channel.send(KeyringAnswer(.prompting))
      try secretItems().createDefaultCollection()
      guard let created = try bus.defaultCollection() else { throw .locked }
      channel.send(KeyringAnswer(.unlocked))
      return created
    }
    if try bus.isLocked(collection) {
      try unlock([collection], call) { () throws(ServiceError) in try bus.isLocked(collection) }
    }
    return collection
  }

  /// A collection without a password unlocks without a prompt, which cannot be known before.
  private func unlock(
    _ paths: [String], _ call: KeyringCall, isLocked: () throws(ServiceError) -> Bool
  ) throws(ServiceError) {
    guard call.unlock else { throw .locked }
    channel.send(KeyringAnswer(.prompting))
    try secretItems().unlock(paths)
    if try isLocked() { throw .locked }
    channel.send(KeyringAnswer(.unlocked))
  }

  // MARK: Items

  /// In no order: a keyring's times have a resolution of 1 s.
  private func find(_ call: KeyringCall, _ bus: SessionBus) throws(ServiceError) -> [KeyringAnswer.Item] {
    var paths = try bus.search(call.attributes)
    if !paths.locked.isEmpty {
      // In another collection, or an item that has a lock of its own.
      try unlock(paths.locked, call) { () throws(ServiceError) in
        paths = try bus.search(call.attributes)
        return !paths.locked.isEmpty
      }
    }
    let secrets = try secretItems().secrets(of: paths.unlocked)
    if secrets.count < paths.unlocked.count, let collection = try bus.defaultCollection() {
      // Locked meanwhile?
      if try bus.isLocked(collection) { throw .locked }
    }
    var items: [KeyringAnswer.Item] = []
    for path in paths.unlocked {
      items.append(.init(attributes: try attributes(of: path, bus), secret: secrets[path].flatMap(Self.text)))
    }
    return items
  }

  private func attributes(of path: String, _ bus: SessionBus) throws(ServiceError) -> [String: String] {
    try bus.attributes(of: path).filter { Self.names.contains($0.key) }
  }

  /// Nil for what cannot be a secret of ours.
  private static func text(_ bytes: [UInt8]) -> Secret? {
    guard !bytes.isEmpty, bytes.count <= KeyringCall.maximumSecret, (try? UTF8Span(validating: bytes.span)) != nil
    else {
      return nil
    }
    return Secret(bytes)
  }

  private func store(_ call: KeyringCall, in collection: String) throws(ServiceError) -> KeyringAnswer {
    guard let secret = call.secret else { return KeyringAnswer(.failed, message: "there is no secret to store") }
    let attributes = call.attributes.merging(["xdg:schema": "io.keyrack.Session"]) { $1 }
    let items = try secretItems()
    let path = try items.store(secret.bytes, label: call.label ?? "Keyrack", attributes: attributes, in: collection)
    return KeyringAnswer(try items.secrets(of: [path])[path] == secret.bytes ? .done : .mismatch)
  }

  /// The Secret Service knows no such thing; this leaves the time of one call for another daemon to come between.
  private func replace(_ call: KeyringCall, in collection: String, _ bus: SessionBus) throws(ServiceError)
    -> KeyringAnswer
  {
    let paths = try exactMatches(call, bus)
    let found = try secretItems().secrets(of: paths).values.compactMap(Self.text)
    if found == [call.secret] { return KeyringAnswer(.done) }
    let others = found.filter { $0 != call.expected && $0 != call.secret }
    if others.isEmpty { return try store(call, in: collection) }
    return KeyringAnswer(.conflict, items: others.map { .init(attributes: call.attributes, secret: $0) })
  }

  private func remove(_ call: KeyringCall, _ bus: SessionBus) throws(ServiceError) -> KeyringAnswer {
    for path in try exactMatches(call, bus) { try secretItems().delete(path) }
    let kept = try exactMatches(call, bus)
    return kept.isEmpty ? KeyringAnswer(.done) : KeyringAnswer(.failed, message: "the keyring kept what was removed")
  }

  /// The items that have these attributes and no other of ours: a search finds those with more, too.
  private func exactMatches(_ call: KeyringCall, _ bus: SessionBus) throws(ServiceError) -> [String] {
    let paths = try bus.search(call.attributes)
    var matches: [String] = []
    for path in paths.unlocked + paths.locked {
      if try attributes(of: path, bus) == call.attributes { matches.append(path) }
    }
    return matches
  }
}

extension KeyringCall {
  /// What libsecret would only refuse on its standard error.
  fileprivate var fault: String? {
    let texts = attributes.flatMap { [$0.key, $0.value] } + [label ?? ""]
    if attributes.isEmpty && call != .prepare && call != .connect { return "a call without attributes" }
    if texts.contains(where: { $0.utf8.contains(0) }) { return "an attribute holds a null byte" }
    if let secret, secret.isEmpty || secret.count > Self.maximumSecret {
      return "a secret must have 1 to \(Self.maximumSecret) bytes, not \(secret.count)"
    }
    return nil
  }
}
