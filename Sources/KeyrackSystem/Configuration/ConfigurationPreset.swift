import KeyrackCore

/// A provider that ships with Keyrack: a group `[preset NAME]`, in the form of those of a configuration file.
final class ConfigurationPreset {
  /// Keys whose values others of the preset name in braces.
  private static let placeholders = ["host", "tenant"]

  let group: ConfigurationGroup
  /// The keys that have to be written beside it, each with an example.
  let needs: [(name: String, value: String)]
  /// The placeholders that it uses: keys that no other provider has.
  let variables: [String]

  var name: String { group.name }

  private init(_ group: ConfigurationGroup) throws(ConfigurationError) {
    self.group = group
    needs = try group.pairs("needs", example: "client_id=ID")
    var variables: [String] = []
    for placeholder in Self.placeholders {
      for key in group.scan.keys where try group.string(key.name)?.contains("{\(placeholder)}") ?? false {
        variables.append(placeholder)
        break
      }
    }
    self.variables = variables
  }

  /// By name.
  static func all(home: String) throws(ConfigurationError) -> [String: ConfigurationPreset] {
    var presets: [String: ConfigurationPreset] = [:]
    for group in try ConfigurationGroup.groups(PackageResources.Presets_conf, path: "presets", home: home) {
      presets[group.name] = try ConfigurationPreset(group)
    }
    return presets
  }

  /// A group that says what is needed, and nothing else.
  func example() throws(ConfigurationError) -> ConfigurationGroup {
    let lines = needs.map { "\($0.name)=\($0.value)\n" }.joined()
    let groups = try ConfigurationGroup.groups(
      Array("[provider \(name)]\n\(lines)".utf8), path: "presets", home: group.home)
    guard let first = groups.first else { throw group.failure("no example") }
    return first.over(self)
  }

  /// The example of a key that is needed, for hints.
  func hint(_ key: String) -> String {
    "\(key)=\(needs.first { $0.name == key }?.value ?? "..."), as the preset \(name) needs it"
  }
}
