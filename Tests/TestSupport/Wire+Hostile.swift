import Glibc

/// What clumsy and hostile clients do.
extension Wire {
  /// Sends as much as is taken at once, and says how much that was; -1 where the daemon has closed.
  @discardableResult package func push(_ bytes: [UInt8]) -> Int {
    let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
    return count < 0 && errno == EAGAIN ? 0 : count
  }

  /// The same, with descriptors that the daemon is to receive.
  @discardableResult package func push(_ bytes: [UInt8], with descriptors: [Int32]) -> Int {
    // A cmsghdr is a length of 8 bytes, a level and a type.
    let length = 16 + 4 * descriptors.count
    var control: [UInt8] = []
    withUnsafeBytes(of: length) { control += $0 }
    withUnsafeBytes(of: Int32(SOL_SOCKET)) { control += $0 }
    withUnsafeBytes(of: Int32(1)) { control += $0 }
    for descriptor in descriptors { withUnsafeBytes(of: descriptor) { control += $0 } }
    control += [UInt8](repeating: 0, count: (8 - length % 8) % 8)
    var bytes = bytes
    let count = bytes.withUnsafeMutableBytes { bytes in
      var vector = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
      return control.withUnsafeMutableBytes { control in
        withUnsafeMutablePointer(to: &vector) { vector in
          var message = msghdr()
          message.msg_iov = vector
          message.msg_iovlen = 1
          message.msg_control = control.baseAddress
          message.msg_controllen = control.count
          return sendmsg(descriptor, &message, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        }
      }
    }
    return count < 0 && errno == EAGAIN ? 0 : count
  }

  /// Whether the daemon has closed and nothing is left to be read.
  package var hasEnded: Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT | MSG_PEEK)) == 0
  }

  /// What comes until the daemon closes, or nothing where it has reset the connection.
  package func rest() async throws -> String {
    let descriptor = descriptor
    let bytes = try await BlockingThread.run {
      var all: [UInt8] = []
      while let more = try Self.receive(descriptor) { all += more }
      return all
    }
    withExtendedLifetime(self) {}
    return String(decoding: bytes, as: UTF8.self)
  }

  /// So many lines, and nothing that comes after them.
  package func lines(_ count: Int) async throws -> [String] {
    let descriptor = descriptor
    let bytes = try await BlockingThread.run {
      var all: [UInt8] = []
      var found = 0
      while found < count {
        guard let more = try Self.receive(descriptor) else { break }
        found += more.count { $0 == UInt8(ascii: "\n") }
        all += more
      }
      return all
    }
    withExtendedLifetime(self) {}
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Nil at the end of input.
  private static func receive(_ descriptor: Int32) throws -> [UInt8]? {
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
      let result = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if result < 0 { code = errno }
      count = max(0, result)
    }
    if code == EINTR { return [] }
    guard code == 0 || code == ECONNRESET else { throw Failure(description: "nothing came: error \(code)") }
    return bytes.isEmpty ? nil : bytes
  }
}
