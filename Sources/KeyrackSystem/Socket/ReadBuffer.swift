import CSystemd
import Glibc

/// Where bytes of a descriptor land on their way to a line. One serves all connections, for nothing stays in it.
@safe
final class ReadBuffer {
  enum Outcome {
    case bytes
    case endOfInput
    case nothingYet
    case failed
  }

  /// No more, so that others do not wait while one fills it.
  private static let capacity = 16 * 1024
  private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: ReadBuffer.capacity, alignment: 16)

  deinit { unsafe bytes.deallocate() }

  /// Receives once. There is no room for control messages: the kernel drops descriptors that a client sends along.
  func receive(from descriptor: Int32, _ take: (UnsafeRawBufferPointer) -> Void) -> Outcome {
    let count = unsafe recv(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT))
    if count < 0 { return errno == EAGAIN || errno == EINTR ? .nothingYet : .failed }
    if count == 0 { return .endOfInput }
    let received = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[..<count])
    unsafe take(UnsafeRawBufferPointer(received))
    // It may be a password.
    if let start = received.baseAddress { unsafe explicit_bzero(start, count) }
    return .bytes
  }

  /// Reads and forgets all that has arrived, so that closing is an end of input for the peer and not a reset. Nothing more
  /// may arrive.
  func discardInput(of descriptor: Int32) {
    shutdown(descriptor, Int32(SHUT_RD))
    while discardPiece(of: descriptor) {}
  }

  /// Whether there was one.
  func discardPiece(of descriptor: Int32) -> Bool {
    if case .bytes = unsafe receive(from: descriptor, { _ in }) { true } else { false }
  }
}
