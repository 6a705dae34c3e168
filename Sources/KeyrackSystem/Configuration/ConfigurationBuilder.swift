import KeyrackCore

/// Puts the groups of all files together and checks what no group can check alone.
struct ConfigurationBuilder {
  private static let accountKeys = ["provider", "scopes"]

  private var groups: [ConfigurationGroup] = []
  private var places: [String: String] = [:]
  private let home: String

  /// `home` is what `~/` in a value stands for.
  init(home: String) { self.home = home }

  /// Takes the groups of one file.
  mutating func add(_ text: [UInt8], path: String) throws(ConfigurationError) {
    let scan = try ConfigurationFileScan(text, path: path)
    let file: KeyFile
    do { file = try KeyFile(parsing: text) } catch {
      switch error {
      case .malformed(let message): throw ConfigurationError("\(path): \(message)")
      }
    }
    for group in scan.groups {
      let group = ConfigurationGroup(path: path, scan: group, file: file, home: home)
      if let other = places.updateValue("\(path):\(group.scan.line)", forKey: group.scan.name) {
        throw group.failure(
          "the group is already at \(other)", hint: "put its keys into one group of one file")
      }
      groups.append(group)
    }
  }

  func configuration() throws(ConfigurationError) -> Configuration {
    for group in groups { try Self.requireName(group) }
    var result = Configuration()
    for group in groups where group.kind == "provider" {
      result.providers[group.name] = try ConfigurationProviderReader(group: group).provider()
    }
    for group in groups where group.kind == "account" {
      result.accounts[group.name] = try Self.account(group, result.providers)
    }
    return result
  }

  private static func requireName(_ group: ConfigurationGroup) throws(ConfigurationError) {
    guard ["account", "provider"].contains(group.kind) else {
      throw group.failure("not a group of Keyrack", hint: "a group is [account NAME] or [provider NAME]")
    }
    guard Account.isValid(name: group.name) else {
      throw group.failure(
        group.name.isEmpty ? "a group without a name" : "not a name that this can have",
        hint: "a name is 1 to 64 of the characters A-Z a-z 0-9 . _ @ + -")
    }
  }

  private static func account(
    _ group: ConfigurationGroup, _ providers: [String: Provider]
  ) throws(ConfigurationError) -> Account {
    try group.requireKeys(in: accountKeys, of: "an account")
    let name = try group.required("provider", hint: "provider=NAME, for a group [provider NAME]")
    guard Account.isValid(name: name), let provider = providers[name] else {
      let known = providers.keys.sorted().joined(separator: ", ")
      throw group.failure(
        "provider", "there is no group [provider \(name)]",
        hint: known.isEmpty ? "write that group: no provider is configured" : "write that group, or use one of \(known)"
      )
    }
    return Account(name: group.name, provider: provider, scopes: try scopes(group))
  }

  private static func scopes(_ group: ConfigurationGroup) throws(ConfigurationError) -> [String] {
    let scopes = try group.list("scopes")
    for scope in scopes where !isScope(scope) {
      throw group.failure(
        "scopes", "\"\(scope)\" is not a scope", hint: "separate scopes by \";\", as in scopes=openid;offline_access")
    }
    return scopes
  }

  /// RFC 6749, section 3.3: printable ASCII without space, `"` and `\`.
  private static func isScope(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
  }
}
