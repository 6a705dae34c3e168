import KeyrackCore
import KeyrackProtocol

/// Finds out what provider a group means, with the preset below it where it names one.
struct ConfigurationPresetReader {
  let presets: [String: ConfigurationPreset]

  /// A group `[provider NAME]`, over the preset that its key `preset` names.
  func group(_ group: ConfigurationGroup) throws(ConfigurationError) -> ConfigurationGroup {
    guard let name = try group.string("preset") else { return group }
    guard let preset = presets[name] else {
      throw group.failure("preset", "there is no preset \(name)", hint: "write one of \(names)")
    }
    return group.over(preset)
  }

  var names: String { presets.keys.sorted().joined(separator: ", ") }

  /// Those of the presets, and of the groups with the providers that were read from them.
  func descriptions(
    _ configured: [(group: ConfigurationGroup, provider: Provider)]
  ) throws(ConfigurationError) -> [ProviderDescription] {
    var descriptions: [ProviderDescription] = []
    for name in presets.keys.sorted() {
      if let preset = presets[name] { descriptions.append(try description(of: preset)) }
    }
    for (group, provider) in configured.sorted(by: { $0.provider.name < $1.provider.name }) {
      descriptions.append(try description(of: provider, group))
    }
    return descriptions.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
      .map(\.element)
  }

  private func description(of preset: ConfigurationPreset) throws(ConfigurationError) -> ProviderDescription {
    let provider = try ConfigurationProviderReader(group: preset.example()).provider()
    let missing = preset.needs.map(\.name)
    // Else it would be that of the example.
    let isKnown = !missing.contains { $0 == "issuer" || $0 == "host" }
    return ProviderDescription(
      name: preset.name, origin: .preset, kind: provider.kindName, issuer: isKnown ? provider.issuer : nil,
      methods: provider.methods, settings: try preset.group.settings(without: ["needs"]), missing: missing)
  }

  /// Of an account with a provider of its own: as the group `[provider NAME]` that would say the same.
  private func description(
    of provider: Provider, _ group: ConfigurationGroup
  ) throws(ConfigurationError) -> ProviderDescription {
    var settings = try group.settings(without: group.kind == "account" ? ConfigurationBuilder.accountKeys : [])
    if group.kind == "account", let preset = group.preset {
      settings.insert(Setting(key: "preset", value: preset.name), at: 0)
    }
    return ProviderDescription(
      name: provider.name, origin: .configuration, kind: provider.kindName, issuer: provider.issuer,
      methods: provider.methods, settings: settings, missing: [])
  }
}

extension Provider {
  fileprivate var kindName: String {
    switch kind {
    case .oauth: "oauth"
    case .json: "json"
    }
  }

  fileprivate var issuer: String? {
    guard case .oauth(let oauth) = kind else { return nil }
    return oauth.issuer
  }
}
