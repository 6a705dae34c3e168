import Glibc
import Synchronization

/// Where the text of secrets is kept.
package protocol SecretMemory: Sendable {
  /// Nil where there is no more.
  func allocate(_ count: Int) -> UnsafeMutableRawPointer?
  /// Overwrites all of it and takes it back.
  func release(_ block: UnsafeMutableRawBufferPointer)
}

/// What `malloc` gives.
private struct OrdinaryMemory: SecretMemory {
  func allocate(_ count: Int) -> UnsafeMutableRawPointer? { .allocate(byteCount: count, alignment: 1) }

  func release(_ block: UnsafeMutableRawBufferPointer) {
    if let start = block.baseAddress { unsafe explicit_bzero(start, block.count) }
    unsafe block.deallocate()
  }
}

/// The bytes of a secret at one address, overwritten when it goes.
// @unchecked: written only in init; what is a pointer to the compiler is a constant to everyone else.
@safe final class SecretStorage: @unchecked Sendable {
  private static let preferred = Mutex<(any SecretMemory)?>(nil)

  private let block: UnsafeMutableRawBufferPointer
  private let memory: any SecretMemory

  /// From now on; what is there stays where it is.
  static func prefer(_ memory: any SecretMemory) { preferred.withLock { $0 = memory } }

  /// Zeros that `write` changes.
  init(count: Int, writing write: (UnsafeMutableRawBufferPointer) -> Void) {
    let preferred = Self.preferred.withLock { $0 }
    if let preferred, let start = unsafe preferred.allocate(count) {
      memory = preferred
      unsafe block = UnsafeMutableRawBufferPointer(start: start, count: count)
    } else {
      memory = OrdinaryMemory()
      unsafe block = UnsafeMutableRawBufferPointer(start: memory.allocate(count), count: count)
    }
    unsafe block.initializeMemory(as: UInt8.self, repeating: 0)
    unsafe write(block)
  }

  /// A copy.
  convenience init(_ bytes: UnsafeRawBufferPointer) {
    unsafe self.init(count: bytes.count) { block in unsafe block.copyMemory(from: bytes) }
  }

  deinit { unsafe memory.release(block) }

  var count: Int { unsafe block.count }

  /// Good for as long as this.
  @unsafe var address: UnsafeMutableRawPointer? { unsafe block.baseAddress }

  func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    // Else it may go once its address is known.
    withExtendedLifetime(self) { unsafe body(UnsafeRawBufferPointer(block)) }
  }
}
