import Glibc
package import KeyrackProtocol

/// Bytes outside of Swift's arrays, at one address for as long as it lives, overwritten when it goes.
///
/// Made by one owner, then only read.
// @unchecked: written only in init; what is a pointer to the compiler is a constant to everyone else.
@safe package final class WipedBuffer: @unchecked Sendable {
  private let storage: UnsafeMutableRawBufferPointer

  /// The pieces, one after the other.
  package init(_ pieces: [Secret]) {
    let count = pieces.reduce(0) { $0 + $1.bytes.count }
    unsafe storage = .allocate(byteCount: count, alignment: 1)
    var position = 0
    for piece in pieces {
      unsafe UnsafeMutableRawBufferPointer(rebasing: storage[position...]).copyBytes(from: piece.bytes)
      position += piece.bytes.count
    }
  }

  /// Zeros that `write` changes.
  @unsafe package init(count: Int, writing write: (UnsafeMutableRawBufferPointer) -> Void) {
    unsafe storage = .allocate(byteCount: count, alignment: 1)
    unsafe storage.initializeMemory(as: UInt8.self, repeating: 0)
    unsafe write(storage)
  }

  deinit {
    if let start = unsafe storage.baseAddress { unsafe explicit_bzero(start, storage.count) }
    unsafe storage.deallocate()
  }

  package var count: Int { unsafe storage.count }

  /// Good for as long as the buffer.
  @unsafe package var address: UnsafeMutableRawPointer? { unsafe storage.baseAddress }

  /// A copy.
  package var bytes: [UInt8] { unsafe Array(storage) }
}
