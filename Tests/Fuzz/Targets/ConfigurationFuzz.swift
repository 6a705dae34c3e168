import KeyrackCore

@testable import KeyrackSystem

/// A configuration file.
enum ConfigurationFuzz {
  static func run(_ input: [UInt8]) throws {
    do throws(ConfigurationError) {
      var builder = ConfigurationBuilder(home: "/nonexistent")
      try builder.add(input, path: "keyrack.conf")
      _ = try builder.configuration()
    } catch {
      try check(error)
    }
  }

  /// It says where, and in words that a terminal can show.
  private static func check(_ error: ConfigurationError) throws {
    let message = error.message
    let place = message.dropFirst("keyrack.conf:".count).prefix { $0 != ":" }
    try require(message.hasPrefix("keyrack.conf:") && Int(place) != nil, "an error without a line: \(message)")
    try require(
      !message.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F },
      "a control character in \(message.debugDescription)")
  }
}
