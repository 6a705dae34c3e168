import CSystemd
import Glibc
import KeyrackSystem
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ListeningSocketTests {
  let directory: TemporaryDirectory
  let path: SocketPath

  init() throws {
    directory = try TemporaryDirectory()
    path = try SocketPath(directory.path + "/keyrack/keyrack.sock")
  }

  @Test func isTheOwnersAlone() throws {
    let socket = try bind()
    #expect(mode(path.directory) == S_IFDIR | 0o700)
    #expect(mode(path.text) == S_IFSOCK | 0o600)
    #expect(!socket.isActivated)
  }

  @Test func aSecondDaemonIsAlreadyRunning() throws {
    let first = try bind()
    #expect(throws: ListeningError.alreadyRunning) { try bind() }
    #expect("\(ListeningError.alreadyRunning)" == "already running")
    #expect(try accepts(path, on: first.descriptor))
  }

  @Test func oneDirectoryHasOneDaemon() throws {
    let first = try bind()
    let other = try SocketPath(path.directory + "/other.sock")
    #expect(throws: ListeningError.alreadyRunning) { try ListeningSocket.bind(other) }
    first.unlock()
    _ = try ListeningSocket.bind(other)
  }

  @Test func aSocketThatNobodyListensOnIsReplaced() throws {
    let dead = try bind()
    close(dead.descriptor)
    dead.unlock()
    let socket = try bind()
    #expect(try accepts(path, on: socket.descriptor))
  }

  @Test func aLiveSocketIsNotReplaced() throws {
    let live = try bind()
    // A daemon that holds no lock.
    live.unlock()
    #expect(throws: ListeningError.alreadyRunning) { try bind() }
    #expect(try accepts(path, on: live.descriptor))
  }

  @Test(arguments: ["file", "link", "directory"])
  func whatIsNoSocketIsNotRemoved(_ kind: String) throws {
    mkdir(path.directory, 0o700)
    switch kind {
    case "file": close(creat(path.text, 0o600))
    case "link": symlink("/nowhere", path.text)
    default: mkdir(path.text, 0o700)
    }
    let before = mode(path.text)
    #expect(throws: ListeningError.refused("\(path.text): is in the way, and is no socket of ours")) { try bind() }
    #expect(mode(path.text) == before)
    // The lock is given back.
    _ = try ListeningSocket.bind(SocketPath(path.directory + "/other.sock"))
  }

  @Test func aDirectoryThatOthersCanWriteToIsRefused() throws {
    mkdir(path.directory, 0o700)
    chmod(path.directory, 0o770)
    #expect(throws: ListeningError.refused("\(path.directory): others can write to it")) { try bind() }
  }

  @Test func aDirectoryThatIsALinkIsRefused() throws {
    symlink("/tmp", path.directory)
    #expect(throws: ListeningError.self) { try bind() }
  }

  @Test func removesTheFileItMade() throws {
    try bind().removeFile()
    #expect(mode(path.text) == nil)
  }

  @Test func doesNotRemoveTheFileOfAnother() throws {
    let first = try bind()
    unlink(path.text)
    close(creat(path.text, 0o600))
    first.removeFile()
    #expect(mode(path.text) != nil)
  }

  @Test func adoptsTheSocketOfSystemdAndLeavesItsFile() throws {
    let bound = try bind()
    bound.unlock()
    let socket = try ListeningSocket.adopt([bound.descriptor])
    #expect(socket.isActivated)
    #expect(throws: ListeningError.alreadyRunning) { try bind() }
    socket.removeFile()
    #expect(try accepts(path, on: socket.descriptor))
  }

  @Test func adoptsNothingElse() throws {
    let bound = try bind()
    #expect(throws: ListeningError.alreadyRunning) { try ListeningSocket.adopt([bound.descriptor]) }
    #expect(throws: ListeningError.refused("systemd passed 2 sockets, and one is needed")) {
      try ListeningSocket.adopt([bound.descriptor, bound.descriptor])
    }
    let unbound = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(unbound) }
    #expect(throws: ListeningError.self) { try ListeningSocket.adopt([unbound]) }
  }

  private func bind() throws -> ListeningSocket { try ListeningSocket.bind(path) }

  private func mode(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode : nil
  }

  /// Whether a client of `path` reaches `listener`.
  private func accepts(_ path: SocketPath, on listener: Int32) throws -> Bool {
    let client = try TestClient(path.text)
    let accepted = SocketServer.accept(listener)
    defer { close(accepted) }
    return withExtendedLifetime(client) { accepted >= 0 }
  }
}

@Suite struct SocketPathTests {
  @Test func isBelowTheRuntimeDirectory() throws {
    let directory = try TemporaryDirectory()
    let path = try SocketPath.find { $0 == "XDG_RUNTIME_DIR" ? directory.path : nil }
    #expect(path.text == directory.path + "/keyrack/keyrack.sock")
  }

  @Test func isWhatTheEnvironmentSays() throws {
    let path = try SocketPath.find { $0 == "KEYRACK_SOCKET" ? "/somewhere/k" : nil }
    #expect(path.directory == "/somewhere")
    #expect(path.name == "k")
  }

  @Test(arguments: [(107, true), (108, false)])
  func hasAtMost107Bytes(_ length: Int, _ fits: Bool) throws {
    let directory = try TemporaryDirectory()
    let text = directory.path + "/" + String(repeating: "n", count: length - directory.path.utf8.count - 1)
    if fits {
      _ = try ListeningSocket.bind(SocketPath(text))
    } else {
      #expect(throws: ListeningError.refused("\(text): the path of the socket has 108 bytes, and may have 107")) {
        try SocketPath(text)
      }
    }
  }

  @Test(arguments: ["relative/k.sock", "/", "/a/", "/a/.."])
  func namesAFileByAnAbsolutePath(_ text: String) {
    #expect(throws: ListeningError.self) { try SocketPath(text) }
  }

  @Test func needsARuntimeDirectory() {
    #expect(throws: ListeningError.refused("XDG_RUNTIME_DIR is not set, and there is no KEYRACK_SOCKET")) {
      try SocketPath.find { _ in nil }
    }
  }

  @Test(arguments: ["missing", "file", "writable"])
  func refusesARuntimeDirectoryThatIsNotOurs(_ kind: String) throws {
    let parent = try TemporaryDirectory()
    let path = parent.path + "/run"
    let reason: String
    switch kind {
    case "missing": reason = "No such file or directory"
    case "file":
      close(creat(path, 0o600))
      reason = "Not a directory"
    default:
      mkdir(path, 0o700)
      chmod(path, 0o720)
      reason = "others can write to it"
    }
    #expect(throws: ListeningError.refused("XDG_RUNTIME_DIR=\(path): \(reason)")) {
      try SocketPath.find { $0 == "XDG_RUNTIME_DIR" ? path : nil }
    }
  }

  @Test(.enabled(if: geteuid() == 0, "needs the right to give a directory away"))
  func refusesARuntimeDirectoryOfAnotherUser() throws {
    let parent = try TemporaryDirectory()
    chown(parent.path, 1, 1)
    #expect(throws: ListeningError.refused("XDG_RUNTIME_DIR=\(parent.path): belongs to user 1, not to 0")) {
      try SocketPath.find { $0 == "XDG_RUNTIME_DIR" ? parent.path : nil }
    }
  }
}
