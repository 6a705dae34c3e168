import Glibc

/// Where the daemon's socket is.
enum SocketPath {
  /// `$KEYRACK_SOCKET`, else `$XDG_RUNTIME_DIR/keyrack/keyrack.sock`. Never a place that others can write to.
  static func fromEnvironment() throws(ClientError) -> String {
    if let path = variable("KEYRACK_SOCKET") { return path }
    // The XDG specification has relative paths ignored.
    guard let directory = variable("XDG_RUNTIME_DIR"), directory.hasPrefix("/") else { throw .unknownSocket }
    return directory + "/keyrack/keyrack.sock"
  }

  private static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }
}
