import KeyrackCore
import KeyrackProtocol

/// One group of a configuration file, with accessors whose errors name file, line, group and key.
struct ConfigurationGroup {
  let path: String
  let scan: ConfigurationFileScan.Group
  /// What `~` stands for.
  let home: String
  private let file: KeyFile
  /// Has the keys that are not here.
  private(set) var preset: ConfigurationPreset?

  private init(path: String, scan: ConfigurationFileScan.Group, file: KeyFile, home: String) {
    self.path = path
    self.scan = scan
    self.file = file
    self.home = home
  }

  /// The groups of one file, in its order.
  static func groups(_ text: [UInt8], path: String, home: String) throws(ConfigurationError) -> [ConfigurationGroup] {
    let scan = try ConfigurationFileScan(text, path: path)
    do throws(KeyFile.Failure) {
      let file = try KeyFile(parsing: text)
      return scan.groups.map { ConfigurationGroup(path: path, scan: $0, file: file, home: home) }
    } catch {
      switch error {
      case .malformed(let message):
        throw ConfigurationError("\(path):\(KeyFile.malformedLine(of: text)): \(OneLine.text(message))")
      }
    }
  }

  func over(_ preset: ConfigurationPreset) -> ConfigurationGroup {
    var group = self
    group.preset = preset
    return group
  }

  /// The `work` of `[account work]`; empty where there is none.
  var name: String {
    scan.name.firstIndex(of: " ").map { String(scan.name[scan.name.index(after: $0)...]) } ?? ""
  }

  /// The `account` of `[account work]`.
  var kind: String { String(scan.name.prefix { $0 != " " }) }

  /// Of the provider that it describes. No group can have the name that an account's own gets.
  var providerName: String {
    if kind == "account", let preset { return "\(preset.name):\(name)" }
    return name
  }

  /// Whether it has that key itself.
  func has(_ key: String) -> Bool { scan.keys.contains { $0.name == key } }

  /// Its keys as the file has them.
  func settings(without keys: [String]) throws(ConfigurationError) -> [Setting] {
    var settings: [Setting] = []
    for key in scan.keys where !keys.contains(key.name) {
      do throws(KeyFile.Failure) {
        settings.append(Setting(key: key.name, value: try file.raw(key.name, group: scan.name)))
      } catch {
        throw failure(key.name, "unreadable")
      }
    }
    return settings
  }

  /// An error about a key; where there is none of that name, about the lack of it.
  func failure(_ key: String, _ what: String, hint: String? = nil) -> ConfigurationError {
    let line = scan.keys.first { $0.name == key }?.line ?? scan.line
    return ConfigurationError("\(path):\(line): [\(scan.title)] \(key): \(what.printable)", hint: hint)
  }

  /// An error about the group as a whole.
  func failure(_ what: String, hint: String? = nil) -> ConfigurationError {
    ConfigurationError("\(path):\(scan.line): [\(scan.title)]: \(what.printable)", hint: hint)
  }

  /// The value without the space at its ends, nil where there is no such key.
  func string(_ key: String) throws(ConfigurationError) -> String? {
    guard has(key) else { return try preset?.group.string(key).map(filled) }
    let value: String
    do { value = try file.string(key, group: scan.name) } catch {
      throw failure(key, "an unknown escape sequence", hint: "write a backslash as \\\\")
    }
    let trimmed = String(value.trimmingWhitespace())
    guard !trimmed.isEmpty else { throw failure(key, "empty", hint: "give it a value, or remove the line") }
    return trimmed
  }

  /// A value of the preset, with the keys that it names in braces.
  private func filled(_ value: String) throws(ConfigurationError) -> String {
    var result = value
    for key in preset?.variables ?? [] where value.contains("{\(key)}") {
      let replacement = try required(key, hint: preset?.hint(key) ?? key)
      guard replacement.utf8.allSatisfy({ Self.isNameCharacter($0) || ":/[]".utf8.contains($0) }) else {
        throw failure(
          key, "\"\(replacement)\" has no place in a URL", hint: "write it plainly, as in \(key)=sso.example.org")
      }
      result = result.replacing("{\(key)}", with: replacement)
    }
    return result
  }

  func required(_ key: String, hint: String) throws(ConfigurationError) -> String {
    guard let value = try string(key) else { throw failure(key, "missing", hint: hint) }
    return value
  }

  func boolean(_ key: String) throws(ConfigurationError) -> Bool? {
    switch try string(key) {
    case nil: nil
    case "true", "yes": true
    case "false", "no": false
    case let other?: throw failure(key, "\"\(other)\" is neither true nor false", hint: "write true or false")
    }
  }

  /// The items of a list that `;` separates; none where there is no such key.
  func list(_ key: String) throws(ConfigurationError) -> [String] {
    guard has(key) else { return try preset?.group.list(key) ?? [] }
    do { return try file.list(key, group: scan.name).map { String($0.trimmingWhitespace()) } } catch {
      throw failure(key, "an unknown escape sequence", hint: "write a backslash as \\\\")
    }
  }

  /// A URL that secrets may be sent to, byte for byte as it was written.
  func endpoint(_ key: String, allowsQuery: Bool = false) throws(ConfigurationError) -> String? {
    guard let value = try string(key) else { return nil }
    do { _ = try Endpoint(validating: value) } catch {
      throw failure(key, error.message, hint: error.hint)
    }
    // No fragment gets this far, so a question mark can only begin a query.
    guard allowsQuery || !value.utf8.contains(UInt8(ascii: "?")) else {
      throw failure(key, "a query (\"?\") has no place here", hint: "write the URL up to the question mark")
    }
    return value
  }

  /// Refuses keys that are not in `known`.
  func requireKeys(in known: [String], of owner: String) throws(ConfigurationError) {
    let known = known + (preset?.variables ?? [])
    for key in scan.keys where !known.contains(key.name) {
      try refuseSecret(key.name)
      throw failure(key.name, "unknown key", hint: "\(owner) has \(known.joined(separator: ", "))")
    }
  }

  /// Refuses what is a secret by its name: that of a key or, with `key`, of something in the key's value.
  func refuseSecret(_ name: String, in key: String? = nil) throws(ConfigurationError) {
    guard Self.secrets.contains(name) else { return }
    let isOfProvider = name == "client_secret" && (kind == "provider" || preset != nil)
    let command = isOfProvider ? ", and run: keyrack provider secret \(providerName)" : ""
    throw failure(
      key ?? name, key == nil ? "a secret" : "\"\(name)\" is a secret",
      hint: "secrets never go into the configuration file: remove \(key == nil ? "the line" : "it")\(command)")
  }

  private static let secrets: Set = [
    "client_secret", "client_assertion", "password", "refresh_token", "access_token", "code", "code_verifier",
  ]
}
