import TestSupport
import Glibc
import Synchronization

/// Listens where a `keyrackd` would and answers each request line with the next step of a script.
final class ScriptedDaemon: Sendable {
  enum Step: Sendable {
    /// These lines, each with a line feed.
    case reply(String)
    /// These bytes and the end.
    case replyAndClose(String)
    case close
    /// Nothing until the client has gone.
    case silence
  }

  let directory: String
  var path: String { directory + "/keyrack.sock" }
  private let listener: Int32
  private let steps: Mutex<[Step]>
  private let received = Mutex<[String]>([])

  init(_ steps: [Step]) throws {
    directory = try TemporaryDirectory.make()
    self.steps = Mutex(steps)
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array("\(directory)/keyrack.sock".utf8)) }
    let bound = withUnsafePointer(to: &address) {
      bind(listener, __CONST_SOCKADDR_ARG(__sockaddr_un__: $0), socklen_t(MemoryLayout<sockaddr_un>.size))
    }
    guard bound == 0, listen(listener, 8) == 0 else { throw SystemFailure(code: errno) }
    BlockingThread.start { [self] in serve() }
  }

  /// Without their line feeds.
  var requests: [String] { received.withLock { $0 } }

  /// Ends it; the thread leaves at its next look.
  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    unlink(path)
    rmdir(directory)
  }

  private func serve() {
    while true {
      let connection = accept4(listener, __SOCKADDR_ARG(), nil, Int32(SOCK_CLOEXEC.rawValue))
      guard connection >= 0 else { break }
      converse(connection)
      close(connection)
    }
    close(listener)
  }

  private func converse(_ connection: Int32) {
    while let line = readLine(connection) {
      received.withLock { $0.append(line) }
      switch steps.withLock({ $0.isEmpty ? .close : $0.removeFirst() }) {
      case .reply(let text): send(connection, text + "\n")
      case .replyAndClose(let text):
        send(connection, text)
        return
      case .close: return
      case .silence: _ = readLine(connection)
      }
    }
  }

  private func send(_ connection: Int32, _ text: String) {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return }
      sent += count
    }
  }

  private func readLine(_ connection: Int32) -> String? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while read(connection, &byte, 1) == 1 {
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
    return nil
  }
}

struct SystemFailure: Error { let code: Int32 }

enum TemporaryDirectory {
  static func make() throws -> String {
    var template = Array("/tmp/keyrack-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemFailure(code: errno) }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
