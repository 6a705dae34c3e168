import KeyrackCore

/// One group of a configuration file, with accessors whose errors name file, line, group and key.
struct ConfigurationGroup {
  let path: String
  let scan: ConfigurationFileScan.Group
  /// What `~` stands for.
  let home: String
  private let file: KeyFile

  init(path: String, scan: ConfigurationFileScan.Group, file: KeyFile, home: String) {
    self.path = path
    self.scan = scan
    self.file = file
    self.home = home
  }

  /// The `work` of `[account work]`; empty where there is none.
  var name: String {
    scan.name.firstIndex(of: " ").map { String(scan.name[scan.name.index(after: $0)...]) } ?? ""
  }

  /// The `account` of `[account work]`.
  var kind: String { String(scan.name.prefix { $0 != " " }) }

  /// An error about a key; where there is none of that name, about the lack of it.
  func failure(_ key: String, _ what: String, hint: String? = nil) -> ConfigurationError {
    let line = scan.keys.first { $0.name == key }?.line ?? scan.line
    return ConfigurationError("\(path):\(line): [\(scan.name)] \(key): \(what)", hint: hint)
  }

  /// An error about the group as a whole.
  func failure(_ what: String, hint: String? = nil) -> ConfigurationError {
    ConfigurationError("\(path):\(scan.line): [\(scan.name)]: \(what)", hint: hint)
  }

  /// The value without the space at its ends, nil where there is no such key.
  func string(_ key: String) throws(ConfigurationError) -> String? {
    guard scan.keys.contains(where: { $0.name == key }) else { return nil }
    let value: String
    do { value = try file.string(key, group: scan.name) } catch {
      throw failure(key, "an unknown escape sequence", hint: "write a backslash as \\\\")
    }
    let trimmed = String(value.trimmingWhitespace())
    guard !trimmed.isEmpty else { throw failure(key, "empty", hint: "give it a value, or remove the line") }
    return trimmed
  }

  func required(_ key: String, hint: String) throws(ConfigurationError) -> String {
    guard let value = try string(key) else { throw failure(key, "missing", hint: hint) }
    return value
  }

  func boolean(_ key: String) throws(ConfigurationError) -> Bool? {
    switch try string(key) {
    case nil: nil
    case "true": true
    case "false": false
    case let other?: throw failure(key, "\"\(other)\" is neither true nor false", hint: "write true or false")
    }
  }

  /// The items of a list that `;` separates; none where there is no such key.
  func list(_ key: String) throws(ConfigurationError) -> [String] {
    guard scan.keys.contains(where: { $0.name == key }) else { return [] }
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
    for key in scan.keys where !known.contains(key.name) {
      try refuseSecret(key.name)
      throw failure(key.name, "unknown key", hint: "\(owner) has \(known.joined(separator: ", "))")
    }
  }

  /// Refuses what is a secret by its name: that of a key or, with `key`, of something in the key's value.
  func refuseSecret(_ name: String, in key: String? = nil) throws(ConfigurationError) {
    guard Self.secrets.contains(name) else { return }
    throw failure(
      key ?? name, key == nil ? "a secret" : "\"\(name)\" is a secret",
      hint: "secrets never go into the configuration file: remove \(key == nil ? "the line" : "it")")
  }

  private static let secrets: Set = [
    "client_secret", "client_assertion", "password", "refresh_token", "access_token", "code", "code_verifier",
  ]
}
