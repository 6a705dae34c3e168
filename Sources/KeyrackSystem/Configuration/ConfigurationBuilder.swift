import KeyrackCore

/// Puts the groups of all files together and checks what no group can check alone.
struct ConfigurationBuilder {
  static let accountKeys = ["provider", "scopes"] + ConfigurationAccessReader.keys
  private static let programGroup = "keyrack"

  private var groups: [ConfigurationGroup] = []
  private var places: [String: String] = [:]
  private let home: String

  /// `home` is what `~/` in a value stands for.
  init(home: String) { self.home = home }

  /// Takes the groups of one file.
  mutating func add(_ text: [UInt8], path: String) throws(ConfigurationError) {
    for group in try ConfigurationGroup.groups(text, path: path, home: home) {
      if let other = places.updateValue("\(path):\(group.scan.line)", forKey: group.scan.name) {
        throw group.failure(
          "the group is already at \(other)", hint: "put its keys into one group of one file")
      }
      groups.append(group)
    }
  }

  func configuration() throws(ConfigurationError) -> Configuration {
    for group in groups where group.scan.name != Self.programGroup { try Self.requireName(group) }
    var caFile: CAFile?
    var notices = NoticeSettings()
    var storage = Configuration.Storage.keyring
    for group in groups where group.scan.name == Self.programGroup {
      try Self.requireProgram(group)
      caFile = try group.caFile().map { CAFile($0, isAddition: true) }
      notices = try ConfigurationNoticeReader(group: group).settings()
      let names = Configuration.Storage.allCases.map(\.rawValue)
      storage = try group.choice("store", names).flatMap(Configuration.Storage.init) ?? storage
    }
    let presets = ConfigurationPresetReader(presets: try ConfigurationPreset.all(home: home))
    var accounts = ConfigurationAccountReader(presets: presets, caFile: caFile)
    for group in groups where group.kind == "provider" { try accounts.addProvider(group) }
    for group in groups where group.kind == "account" { try accounts.addAccount(group) }
    var configuration = try accounts.configuration()
    configuration.uses = try uses(of: configuration.accounts)
    configuration.notices = notices
    configuration.storage = storage
    return configuration
  }

  private func uses(of accounts: [String: Account]) throws(ConfigurationError) -> [UseMapping] {
    var uses: [(mapping: UseMapping, place: String)] = []
    for group in groups where group.kind == "use" {
      let mapping = try ConfigurationUseReader(group: group, accounts: accounts).mapping()
      if let other = uses.first(where: { $0.mapping.isSame(as: mapping) }) {
        throw group.failure("the same place is already at \(other.place)", hint: "remove one of the two")
      }
      uses.append((mapping, "\(group.path):\(group.scan.line)"))
    }
    return uses.map(\.mapping)
  }

  private static func requireName(_ group: ConfigurationGroup) throws(ConfigurationError) {
    // Its reader looks at what stands in it.
    if group.kind == "use" { return }
    guard ["account", "provider"].contains(group.kind) else {
      throw group.failure(
        "not a group of Keyrack", hint: "a group is [account NAME], [provider NAME], [use PROGRAM URL] or [keyrack]")
    }
    guard Account.isValid(name: group.name) else {
      throw group.failure(
        group.name.isEmpty ? "a group without a name" : "not a name that this can have",
        hint: "a name is 1 to 64 of the characters A-Z a-z 0-9 . _ @ + -")
    }
  }

  /// `browser_command` is of the command line, which reads it by itself. Here it is only looked at, so that a mistake is
  /// told where all are.
  private static func requireProgram(_ group: ConfigurationGroup) throws(ConfigurationError) {
    try group.requireKeys(
      in: ["browser_command", "ca_file", "store"] + ConfigurationNoticeReader.keys, of: "[\(programGroup)]")
    guard let command = try group.string("browser_command") else { return }
    guard command.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw group.failure("browser_command", "not one line", hint: "write one command, as in browser_command=firefox")
    }
  }
}
