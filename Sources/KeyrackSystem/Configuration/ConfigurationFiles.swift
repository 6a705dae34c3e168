package import KeyrackCore
package import KeyrackProtocol

/// The configuration on disk: `keyrack.conf`, then `keyrack.conf.d/*.conf` in the order of their names' bytes. None of
/// them need be there.
package struct ConfigurationFiles: ConfigurationSource, Equatable {
  private static let sizeLimit = 1024 * 1024

  private let directory: String
  private let home: String

  /// `directory` holds `keyrack.conf`; `home` is what `~/` in a value stands for.
  package init(directory: String, home: String) {
    self.directory = directory
    self.home = home
  }

  /// Those of the user whose environment this is (XDG Base Directory Specification: a path that is not absolute counts
  /// for none).
  package init(environment: [String: String]) throws(ConfigurationError) {
    guard let home = environment["HOME"], home.utf8.first == UInt8(ascii: "/") else {
      throw ConfigurationError("HOME is not an absolute path", hint: "start Keyrack with HOME set")
    }
    let base = environment["XDG_CONFIG_HOME"].flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
    self.init(directory: "\(base ?? "\(home)/.config")/keyrack", home: home)
  }

  package func place(_ url: String, for use: ResolveOperation.Use) -> WebPlace? { try? WebPlace(url, for: use) }

  @concurrent package func read() async throws(ConfigurationError) -> Configuration { try load() }

  /// Reads on the calling thread: for a program that has no event loop yet.
  package func load() throws(ConfigurationError) -> Configuration {
    // Whoever can write in the directory can put another file in place of one there.
    _ = try names(in: directory)
    var builder = ConfigurationBuilder(home: home)
    if let text = try contents("\(directory)/keyrack.conf", isOptional: true) {
      try builder.add(text, path: "\(directory)/keyrack.conf")
    }
    for path in try fragments() {
      if let text = try contents(path, isOptional: false) { try builder.add(text, path: path) }
    }
    return try builder.configuration()
  }

  private func fragments() throws(ConfigurationError) -> [String] {
    let path = "\(directory)/keyrack.conf.d"
    return try names(in: path).filter { $0.hasSuffix(".conf") && !$0.hasPrefix(".") }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      .map { "\(path)/\($0)" }
  }

  /// None where there is no such directory.
  private func names(in path: String) throws(ConfigurationError) -> [String] {
    do { return try TrustedFile.names(inDirectory: path) } catch {
      if error.isMissing { return [] }
      throw ConfigurationError("\(path): \(error.what)", hint: error.hint)
    }
  }

  private func contents(_ path: String, isOptional: Bool) throws(ConfigurationError) -> [UInt8]? {
    do {
      return try TrustedFile(opening: path).contents(limit: Self.sizeLimit)
    } catch {
      if error.isMissing && isOptional { return nil }
      throw ConfigurationError("\(path): \(error.what)", hint: error.hint)
    }
  }
}
