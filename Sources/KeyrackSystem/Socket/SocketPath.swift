import Glibc

/// Where the daemon listens: `$KEYRACK_SOCKET`, else `keyrack/keyrack.sock` below `$XDG_RUNTIME_DIR`.
package struct SocketPath: Sendable, Equatable {
  /// Of `sun_path`, its NUL not counted.
  package static let maximumLength = 107

  package let directory: String
  package let name: String

  package var text: String { directory == "/" ? "/" + name : directory + "/" + name }

  /// Throws where the path is not absolute, has no name or is too long.
  package init(_ text: String) throws(ListeningError) {
    guard text.utf8.first == UInt8(ascii: "/"), let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else {
      throw .refused("\(text): the path of the socket must be absolute")
    }
    guard text.utf8.count <= Self.maximumLength else {
      throw .refused(
        "\(text): the path of the socket has \(text.utf8.count) bytes, and may have \(Self.maximumLength)")
    }
    directory = slash == text.startIndex ? "/" : String(text[..<slash])
    name = String(text[text.index(after: slash)...])
    if name.isEmpty || name == "." || name == ".." { throw .refused("\(text): the path of the socket names no file") }
  }

  /// Refuses an `$XDG_RUNTIME_DIR` that is missing or that others could write to; nothing is used in its place.
  package static func find(
    environment: (String) -> String? = { variable in unsafe getenv(variable).map { unsafe String(cString: $0) } }
  ) throws(ListeningError) -> SocketPath {
    if let text = environment("KEYRACK_SOCKET"), !text.isEmpty { return try SocketPath(text) }
    guard let runtime = environment("XDG_RUNTIME_DIR"), !runtime.isEmpty else {
      throw .refused("XDG_RUNTIME_DIR is not set, and there is no KEYRACK_SOCKET")
    }
    guard runtime.utf8.first == UInt8(ascii: "/") else {
      throw .refused("XDG_RUNTIME_DIR=\(runtime): must be an absolute path")
    }
    let directory: PrivateDirectory
    do throws(ListeningError) { directory = try PrivateDirectory(runtime, followsLink: true) } catch {
      throw .refused("XDG_RUNTIME_DIR=\(error)")
    }
    directory.close()
    return try SocketPath(runtime + "/keyrack/keyrack.sock")
  }
}
