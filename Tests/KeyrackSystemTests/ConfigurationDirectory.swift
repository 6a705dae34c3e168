import FoundationEssentials
import KeyrackCore
import KeyrackSystem

/// A home directory of its own with configuration files, gone when the last reference is.
final class ConfigurationDirectory {
  let home: String
  var configuration: String { home + "/.config/keyrack" }
  var main: String { configuration + "/keyrack.conf" }

  init() throws {
    home = FileManager.default.temporaryDirectory.path + "/keyrack-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: configuration, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: home) }

  /// Writes a file below the directory of the configuration and returns its path.
  @discardableResult
  func write(_ text: String, to name: String = "keyrack.conf", mode: Int = 0o600) throws -> String {
    try write(Array(text.utf8), to: name, mode: mode)
  }

  @discardableResult
  func write(_ bytes: [UInt8], to name: String = "keyrack.conf", mode: Int = 0o600) throws -> String {
    let path = "\(configuration)/\(name)"
    let directory = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }

  func files() throws -> ConfigurationFiles { try ConfigurationFiles(environment: ["HOME": home]) }

  func read() async throws -> Configuration { try await files().read() }

  /// What is read of the files alone: without descriptions, which the presets are always among.
  func groups() async throws -> Configuration {
    let configuration = try await read()
    return Configuration(providers: configuration.providers, accounts: configuration.accounts)
  }

  /// The error that reading ends in; `~` stands for the home in its texts.
  func failure() async throws -> ConfigurationError? {
    do {
      _ = try await read()
      return nil
    } catch let error as ConfigurationError {
      return ConfigurationError(
        error.message.replacing(home, with: "~"), hint: error.hint.map { $0.replacing(home, with: "~") })
    }
  }
}
