import Foundation
import Glibc
import TestSupport
import Testing

/// A second user, whom root can be: `nobody`, without any capability. Nothing is made for it that stays.
enum OrdinaryUser {
  static let id = 65534
  static let shell = ["PATH": "/usr/bin:/bin"]
  private static let become = ["/usr/bin/setpriv", "--reuid=\(id)", "--regid=\(id)", "--clear-groups", "--"]

  /// Ends the test where there is no such user, or it cannot run that.
  static func require(toRun command: [String] = ["true"]) async throws {
    // By way of env: setpriv itself has root's capabilities yet.
    let command = become + ["env"] + command
    guard geteuid() == 0, let run = try? await Child.run(command, environment: shell), run.status == 0 else {
      try Test.cancel("the tests do not run as root, or others cannot run what was built")
    }
  }

  static func run(_ command: String...) async throws -> Child.Result {
    try await Child.run(become + command, environment: shell)
  }

  static func start(_ command: [String], environment: [String: String] = shell, error: String = "/dev/null") throws
    -> Child
  { try Child(become + command, environment: environment, error: error) }
}

/// A `keyrackd` of that user, with no account.
final class OrdinaryDaemon: Sendable {
  let folder: TemporaryFolder
  let process: Child
  var socket: String { "\(folder.path)/run/keyrack/keyrack.sock" }
  /// Of the user; the daemon's working directory.
  var work: String { "\(folder.path)/work" }

  init() async throws {
    try await OrdinaryUser.require()
    folder = try TemporaryFolder()
    let path = folder.path
    for part in ["home", "home/.config", "home/.config/keyrack", "run", "work"] { mkdir("\(path)/\(part)", 0o700) }
    try "".write(toFile: "\(path)/home/.config/keyrack/keyrack.conf", atomically: false, encoding: .utf8)
    // A copy: others may have no way to what was built, and to Swift's libraries none at all.
    let program = "\(path)/keyrackd"
    try FileManager.default.copyItem(atPath: Products.path(of: "keyrackd"), toPath: program)
    let user = "\(OrdinaryUser.id):\(OrdinaryUser.id)"
    _ = try await Child.run(["chown", "-R", user, path], environment: OrdinaryUser.shell)
    try await OrdinaryUser.require(toRun: [program, "--version"])
    process = try OrdinaryUser.start(
      // With a core allowed, as a shell may have it.
      ["env", "-C", "\(path)/work", "prlimit", "--core=unlimited", program],
      environment: OrdinaryUser.shell.merging([
        "HOME": "\(path)/home", "XDG_RUNTIME_DIR": "\(path)/run", "SWIFT_BACKTRACE": "enable=no",
        "CANARY": "in-the-environment",
      ]) { $1 }, error: "\(path)/log")
    let socket = "\(path)/run/keyrack/keyrack.sock"
    try await eventually("keyrackd to listen", within: .seconds(10)) {
      try #require(process.exitStatus == nil)
      return (try? Wire(socket)) != nil
    }
  }

  /// What its own user gets to read; the answer to a request.
  func ask() async throws -> Child.Result {
    try await OrdinaryUser.run(
      "/bin/sh", "-c", "printf '{\"op\":\"version\"}' | socat -t10 - UNIX-CONNECT:\(socket)")
  }
}
