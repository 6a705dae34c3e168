import CJOSE
import KeyrackProtocol

/// Memory that is never swapped out and in no core dump, by OpenSSL, which keeps its own keys there, too.
package struct LockedMemory: SecretMemory {
  /// Half of what systemd and the kernel let a user lock, and enough for a thousand tokens of 2 KiB. In bytes; pages that
  /// nothing was written to are not there.
  private static let size = 4 << 20
  /// A block's, in bytes.
  private static let leastSize = 32

  /// Nil where this process may lock no memory.
  package init?() {
    // 2: there is memory, but it can be swapped out.
    guard CRYPTO_secure_malloc_init(Self.size, Self.leastSize) == 1 else { return nil }
  }

  package func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
    if let start = unsafe CRYPTO_secure_malloc(count, nil, 0) { return unsafe start }
    // Whoever looks at OpenSSL's errors next would take it for one of its own.
    ERR_clear_error()
    return nil
  }

  package func release(_ block: UnsafeMutableRawBufferPointer) {
    unsafe CRYPTO_secure_clear_free(block.baseAddress, block.count, nil, 0)
  }
}
