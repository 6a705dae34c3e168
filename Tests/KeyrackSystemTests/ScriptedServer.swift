import CSystemd
import Foundation
import Glibc
import Synchronization

/// A server on loopback that does to each connection, on a thread of its own, what the test says.
final class ScriptedServer: Sendable {
  let port: Int
  private let listener: Int32
  private let log = ServerLog()

  init(_ script: @escaping @Sendable (ScriptedPeer) -> Void) {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    port = Self.listen(on: listener)
    Thread.detachNewThread { [listener, log] in
      while true {
        let socket = accept(listener, __SOCKADDR_ARG(), nil)
        guard socket >= 0 else { break }
        log.noteConnection()
        Thread.detachNewThread {
          script(ScriptedPeer(socket: socket, log: log))
          close(socket)
        }
      }
      close(listener)
    }
  }

  /// Answers each request with the next of these, the last again and again.
  convenience init(answers: [String]) {
    let turns = Turns()
    self.init { peer in
      while peer.readRequest() != nil { peer.send(answers[min(turns.next(), answers.count - 1)]) }
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  var connections: Int { log.connections }
  var requests: [ReceivedRequest] { log.requests }
  var url: String { "http://127.0.0.1:\(port)" }

  /// The port that the kernel chose.
  private static func listen(on listener: Int32) -> Int {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        precondition(bind(listener, __CONST_SOCKADDR_ARG(__sockaddr__: pointer), length) == 0, "no loopback socket")
        Glibc.listen(listener, 64)
        getsockname(listener, __SOCKADDR_ARG(__sockaddr__: pointer), &length)
      }
    }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}

/// What has happened to a ``ScriptedServer``.
final class ServerLog: Sendable {
  private let state = Mutex((connections: 0, requests: [ReceivedRequest]()))

  func noteConnection() { state.withLock { $0.connections += 1 } }
  func note(_ request: ReceivedRequest) { state.withLock { $0.requests.append(request) } }
  var connections: Int { state.withLock { $0.connections } }
  var requests: [ReceivedRequest] { state.withLock { $0.requests } }
}

private final class Turns: Sendable {
  private let count = Atomic(0)
  func next() -> Int { count.add(1, ordering: .relaxed).oldValue }
}

struct ReceivedRequest: Sendable, Equatable {
  var line: String
  /// By their names in lower case.
  var headers: [String: String]
  var body: String
}

/// One connection of a client to a ``ScriptedServer``.
struct ScriptedPeer {
  let socket: Int32
  let log: ServerLog

  /// Nil at the end of the connection.
  func readRequest() -> ReceivedRequest? {
    var bytes: [UInt8] = []
    while !String(decoding: bytes, as: UTF8.self).contains("\r\n\r\n") {
      guard let byte = read(1) else { return nil }
      bytes += byte
    }
    let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n").filter { !$0.isEmpty }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let halves = line.split(separator: ":", maxSplits: 1)
      headers[halves[0].lowercased()] = halves.count == 2 ? halves[1].trimmingCharacters(in: .whitespaces) : ""
    }
    var body: [UInt8] = []
    let length = headers["content-length"].flatMap { Int($0) } ?? 0
    while body.count < length {
      guard let more = read(length - body.count) else { return nil }
      body += more
    }
    let request = ReceivedRequest(line: lines[0], headers: headers, body: String(decoding: body, as: UTF8.self))
    log.note(request)
    return request
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  /// False when the client is gone.
  @discardableResult func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Returns when the client has closed the connection, or after that time; says whether it has.
  @discardableResult func waitForHangUp(milliseconds: Int32 = 30_000) -> Bool {
    var descriptor = pollfd(fd: socket, events: Int16(POLLRDHUP), revents: 0)
    return poll(&descriptor, 1, milliseconds) > 0
  }

  private func read(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = recv(socket, &bytes, count, 0)
    return got > 0 ? Array(bytes.prefix(got)) : nil
  }
}

/// A complete HTTP/1.1 answer.
func answer(_ status: Int, _ body: String = "", headers: [String] = []) -> String {
  (["HTTP/1.1 \(status) X", "Content-Length: \(body.utf8.count)"] + headers).joined(separator: "\r\n") + "\r\n\r\n"
    + body
}
