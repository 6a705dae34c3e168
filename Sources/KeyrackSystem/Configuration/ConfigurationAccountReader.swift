import KeyrackCore

/// Reads the groups of providers, then those of accounts, which name a provider or a preset.
struct ConfigurationAccountReader {
  let presets: ConfigurationPresetReader
  private let caFile: CAFile?
  private var result = Configuration()
  private var configured: [(group: ConfigurationGroup, provider: Provider)] = []
  /// What an account asks for that names no scopes, by provider.
  private var scopes: [String: [String]] = [:]

  /// `caFile` is for the providers without one of their own.
  init(presets: ConfigurationPresetReader, caFile: CAFile?) {
    self.presets = presets
    self.caFile = caFile
  }

  func configuration() throws(ConfigurationError) -> Configuration {
    var result = result
    result.caFile = caFile
    result.descriptions = try presets.descriptions(configured)
    return result
  }

  mutating func addProvider(_ group: ConfigurationGroup) throws(ConfigurationError) {
    _ = try provider(try presets.group(group))
  }

  mutating func addAccount(_ group: ConfigurationGroup) throws(ConfigurationError) {
    let name = try group.string("provider")
    let provider: Provider
    if let name, let preset = presets.presets[name], result.providers[name] == nil {
      provider = try self.provider(group.over(preset))
    } else {
      try group.requireKeys(in: ConfigurationBuilder.accountKeys, of: "an account")
      provider = try configuredProvider(group)
    }
    let own = group.has("scopes") ? try group.scopes() : scopes[provider.name] ?? []
    result.accounts[group.name] = Account(
      name: group.name, provider: provider, scopes: own, policy: try ConfigurationAccessReader(group: group).policy())
  }

  private mutating func provider(_ group: ConfigurationGroup) throws(ConfigurationError) -> Provider {
    let provider = try ConfigurationProviderReader(group: group, commonCAFile: caFile).provider()
    scopes[provider.name] = try group.scopes()
    configured.append((group, provider))
    result.providers[provider.name] = provider
    return provider
  }

  private func configuredProvider(_ group: ConfigurationGroup) throws(ConfigurationError) -> Provider {
    let name = try group.required("provider", hint: "provider=NAME, for a group [provider NAME] or a preset")
    if Account.isValid(name: name), let provider = result.providers[name] { return provider }
    let known = result.providers.keys.filter(Account.isValid(name:)).sorted()
    let own = known.isEmpty ? "" : "use one of \(known.joined(separator: ", ")), "
    throw group.failure(
      "provider", "there is no group [provider \(name)]",
      hint: "write that group, \(own)or name a preset: \(presets.names)")
  }
}

extension ConfigurationGroup {
  /// None where there is no such key.
  fileprivate func scopes() throws(ConfigurationError) -> [String] {
    let scopes = try list("scopes")
    for scope in scopes where !Self.isScope(scope) {
      throw failure(
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
