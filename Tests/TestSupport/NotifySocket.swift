import Glibc

/// Where a program tells systemd how it is, sd_notify(3): what `$NOTIFY_SOCKET` names.
package final class NotifySocket {
  package let path: String
  private let descriptor: Int32
  /// The messages so far, each of some lines.
  private var messages: [String] = []

  package init(_ path: String) throws {
    self.path = path
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, __CONST_SOCKADDR_ARG(__sockaddr__: $0), socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw Child.Failure(description: "could not bind \(path): error \(errno)") }
  }

  deinit { close(descriptor) }

  /// What was received so far. Does not wait.
  package func received() -> [String] {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      guard count > 0 else { return messages }
      messages.append(String(decoding: buffer[..<count], as: UTF8.self))
    }
  }

  /// Waits until one that begins like this was received.
  package func wait(for start: String) async throws {
    try await eventually("\(start) on \(path)") { received().contains { $0.hasPrefix(start) } }
  }
}
