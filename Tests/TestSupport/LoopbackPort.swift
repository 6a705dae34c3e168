import Foundation
import Glibc

/// TCP ports of 127.0.0.1.
enum LoopbackPort {
  /// Free when it was looked for, and not among those that the kernel gives to whoever binds port 0 or connects.
  static func free() throws -> UInt16 {
    for _ in 0..<100 {
      let port = UInt16.random(in: 10_000..<32_768)
      if isFree(port) { return port }
    }
    throw Child.Failure(description: "could not find a free port")
  }

  private static func isFree(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, __CONST_SOCKADDR_ARG(__sockaddr__: $0), socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  /// Whether somebody listens there.
  static func isListening(_ port: UInt16) throws -> Bool {
    // State 0A is a listener.
    try sockets(of: port).contains { $0[3] == "0A" }
  }

  /// Whether a connection to it has something that the server has not read.
  static func hasUnread(_ port: UInt16) throws -> Bool {
    // SLOT: LOCAL REMOTE STATE SENDING:RECEIVED …, where state 01 is a connection.
    try sockets(of: port).contains { $0[3] == "01" && !$0[4].hasSuffix(":00000000") }
  }

  /// The words of their lines in the kernel's table.
  private static func sockets(of port: UInt16) throws -> [[Substring]] {
    // In parts: the kernel gives a page at a time, and String(contentsOfFile:) takes the first for all.
    let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/net/tcp"))
    var table = Data()
    while let part = try file.read(upToCount: 1 << 16), !part.isEmpty { table += part }
    let address = "0100007F:" + String(0x10000 + Int(port), radix: 16, uppercase: true).dropFirst()
    return String(decoding: table, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
      .filter { $0[1] == address }
  }
}
