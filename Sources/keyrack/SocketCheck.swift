import Glibc
import KeyrackClient
import KeyrackProtocol

/// Whether there is a socket, whose it is, and whether somebody listens.
enum SocketCheck {
  private static let name = "socket"
  private static let longestPath = 107
  private static let start = "systemctl --user enable --now keyrack.socket, or start keyrackd by hand"

  /// The client is nil where there is no daemon to be asked.
  static func run() -> (Check, Client?) {
    do throws(ClientError) {
      let path = try Client.usualPath()
      if let problem = problem(path) { return (problem, nil) }
      let client = try Client(path: path)
      return (state(of: path), client)
    } catch {
      return (Check(.fail, name, error.description, hint: error.hint), nil)
    }
  }

  /// What can be said better than the attempt to connect would.
  private static func problem(_ path: String) -> Check? {
    guard path.utf8.count <= longestPath else {
      return Check(
        .fail, name, "\(path) has \(path.utf8.count) bytes, and the path of a socket may have \(longestPath)",
        hint: "set KEYRACK_SOCKET to a shorter one, for keyrackd, too")
    }
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      if errno == ENOENT { return Check(.fail, name, "\(path) is not there", hint: start) }
      return Check(.fail, name, "\(path): \(unsafe String(cString: strerror(errno)))", hint: start)
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      return Check(.fail, name, "\(path) is no socket", hint: "remove it, then: \(start)")
    }
    guard status.st_uid == geteuid() else {
      return Check(
        .fail, name, "\(path) belongs to user \(status.st_uid), and this runs as user \(geteuid())",
        hint: "run keyrack as that user, or set KEYRACK_SOCKET")
    }
    return nil
  }

  private static func state(of path: String) -> Check {
    var status = stat()
    if unsafe stat(path, &status) == 0, status.st_mode & 0o077 != 0 {
      return Check(.warn, name, "others may open \(path)", hint: "chmod 600 \(path)")
    }
    return Check(.ok, name, path)
  }
}
