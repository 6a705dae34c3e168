import CSystemd
import Glibc

/// Replies that the client has not taken yet.
struct OutputBuffer {
  enum Outcome {
    /// Nothing is left.
    case done
    /// The client is slow; `progress` says whether it took some.
    case blocked(progress: Bool)
    /// There is no client any more.
    case failed
  }

  private var bytes: [UInt8] = []
  private var sent = 0

  var count: Int { bytes.count - sent }
  var isEmpty: Bool { bytes.isEmpty }

  mutating func append(_ line: [UInt8]) {
    // The usual case: one reply, sent at once, and never copied.
    if bytes.isEmpty { bytes = line } else { bytes.append(contentsOf: line) }
  }

  mutating func send(to descriptor: Int32) -> Outcome {
    let before = sent
    while sent < bytes.count {
      let result = unsafe bytes.withUnsafeBytes { bytes in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[sent...])
        return unsafe Glibc.send(
          descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if result >= 0 { sent += result; continue }
      if errno == EINTR { continue }
      guard errno == EAGAIN else { return .failed }
      defer { compact() }
      return .blocked(progress: sent > before)
    }
    bytes = []
    sent = 0
    return .done
  }

  /// Keeps a client that reads slowly from growing what is long sent.
  private mutating func compact() {
    guard sent >= 64 * 1024 else { return }
    bytes.removeSubrange(..<sent)
    sent = 0
  }
}
