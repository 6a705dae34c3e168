import FoundationEssentials
import Glibc
import KeyrackProtocol

/// Lines of JSON, both ways, on one descriptor.
final class Channel {
  private let descriptor: Int32
  private var lines = LineBuffer(maximumLength: KeyringCall.maximumLength)

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Waits for the next call. Nil at the end of input, or where what came is no call: the daemon then starts another
  /// helper.
  func next() -> KeyringCall? {
    while true {
      switch lines.next() {
      case .line(let line): return try? JSONDecoder().decode(KeyringCall.self, from: Data(line))
      case .tooLong: return nil
      case .incomplete: guard receive() else { return nil }
      }
    }
  }

  private func receive() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      let count = unsafe read(descriptor, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      lines.append(chunk[..<count])
      return true
    }
  }

  func send(_ answer: KeyringAnswer) {
    var line = JSONObjectWriter.text(of: answer)
    if line.count > KeyringAnswer.maximumLength {
      send(KeyringAnswer(.failed, message: "the keyring holds more of Keyrack's items than can be read at once"))
      return
    }
    line.append(UInt8(ascii: "\n"))
    var sent = 0
    while sent < line.count {
      let count = unsafe line[sent...].withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      // The end of input tells the rest.
      if count < 0 { return }
      sent += count
    }
  }
}
