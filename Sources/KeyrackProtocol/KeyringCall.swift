/// A line to `keyrack-keyring`, the helper process that speaks to the Secret Service. One call at a time.
package struct KeyringCall: Decodable, JSONObject, Sendable {
  package enum Name: String, Decodable, Sendable {
    /// Is there a session bus? Says nothing of what is on it.
    case connect
    /// Is there a default collection, and can it be written? Unlocks it where `unlock` allows.
    case prepare
    /// All items that have these attributes, with their secrets.
    case find
    /// Create or replace the item with exactly these attributes, then read it back.
    case store
    /// The same, unless an item with exactly these attributes holds neither that secret nor `expected`, and a secret at
    /// all: then nothing is written, and the answer is a conflict with what is there.
    case replace
    /// Remove the items with exactly these attributes.
    case remove
  }

  /// Bytes of a secret, both ways: what is larger is not stored, and is unreadable where it is found.
  package static let maximumSecret = 128 * 1024
  /// Bytes of a line: every byte of a secret may be written as `\u00XX`.
  package static let maximumLength = 1024 * 1024

  package let call: Name
  package let attributes: [String: String]
  package let label: String?
  package let secret: Secret?
  package let expected: Secret?
  /// Whether a locked collection may be unlocked, which may show a prompt to the person.
  package let unlock: Bool
  /// Whether `prepare` may make a default collection where there is none, for which the person chooses a password.
  package let create: Bool

  package init(
    _ call: Name, attributes: [String: String] = [:], label: String? = nil, secret: Secret? = nil,
    expected: Secret? = nil, unlock: Bool = false, create: Bool = false
  ) {
    self.call = call
    self.attributes = attributes
    self.label = label
    self.secret = secret
    self.expected = expected
    self.unlock = unlock
    self.create = create
  }

  package func write(to object: inout JSONObjectWriter) {
    object.member("call", call)
    object.member("attributes", KeyringAttributes(values: attributes))
    object.member("label", label)
    object.member("secret", secret)
    object.member("expected", expected)
    object.member("unlock", unlock)
    object.member("create", create)
  }
}

/// A line from `keyrack-keyring`. `prompting` and then `unlocked` may come before the one that ends the call.
package struct KeyringAnswer: Decodable, JSONObject, Sendable {
  package enum Outcome: String, Decodable, Sendable {
    case done
    /// An unlock that may wait for a person begins now.
    case prompting
    /// It has ended well, and the call goes on. Until then nothing was read or written.
    case unlocked
    /// The collection is locked and stayed so, or there is none.
    case locked
    /// No session bus, no Secret Service, or it could not be started.
    case unavailable
    /// Somebody else has stored something; `items` has it.
    case conflict
    /// What was stored did not read back the same.
    case mismatch
    /// Anything else; `message` says what.
    case failed
  }

  package struct Item: Decodable, JSONObject, Sendable {
    package let attributes: [String: String]
    /// Nil where it is empty, no text, or cannot be read.
    package let secret: Secret?

    package init(attributes: [String: String], secret: Secret?) {
      self.attributes = attributes
      self.secret = secret
    }

    package func write(to object: inout JSONObjectWriter) {
      object.member("attributes", KeyringAttributes(values: attributes))
      object.member("secret", secret)
    }
  }

  /// Bytes of a line. Several thousand accounts.
  package static let maximumLength = 32 * 1024 * 1024
  /// Of the helper, when the session bus has died. A process cannot recover from that (libsecret holds on to its one
  /// connection), the next one can.
  package static let busLostStatus: Int32 = 75

  package let outcome: Outcome
  package let items: [Item]
  /// For people. From our own words and the domain and code of the error; never its text, which may be translated.
  package let message: String?

  package init(_ outcome: Outcome, items: [Item] = [], message: String? = nil) {
    self.outcome = outcome
    self.items = items
    self.message = message
  }

  package func write(to object: inout JSONObjectWriter) {
    object.member("outcome", outcome)
    object.member("items", items)
    object.member("message", message)
  }
}

private struct KeyringAttributes: JSONObject {
  let values: [String: String]

  func write(to object: inout JSONObjectWriter) {
    for (name, value) in values { object.member(name, value) }
  }
}
