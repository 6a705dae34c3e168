import CJOSE

/// A key in cjose's hands, public or private.
// @unchecked: the pointer never changes; cjose and OpenSSL only read a key that has been made.
@safe final class CJOSEKey: @unchecked Sendable {
  @unsafe let handle: OpaquePointer

  /// Takes over the key.
  @unsafe init?(_ handle: OpaquePointer?) {
    guard let handle = unsafe handle else { return nil }
    unsafe self.handle = handle
  }

  /// From the text of a JWK. cjose checks that a point is on its curve.
  convenience init?(json text: [UInt8]) {
    unsafe self.init(
      text.withUnsafeBytes {
        unsafe cjose_jwk_import($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, nil)
      })
  }

  deinit { unsafe _ = cjose_jwk_release(handle) }

  /// Of an RSA key's modulus.
  var bits: Int { unsafe cjose_jwk_get_keysize(handle, nil) }

  /// What a token says, if this key has signed it.
  func payload(of token: CompactJWS) -> [UInt8]? {
    let jws = unsafe token.bytes.withUnsafeBytes {
      unsafe cjose_jws_import($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, nil)
    }
    guard let jws = unsafe jws else { return nil }
    defer { unsafe cjose_jws_release(jws) }
    guard unsafe cjose_jws_verify(jws, handle, nil) else { return nil }
    var start: UnsafeMutablePointer<UInt8>?
    var count = 0
    // Still cjose's, until its release.
    guard unsafe cjose_jws_get_plaintext(jws, &start, &count, nil), let start = unsafe start else { return nil }
    return unsafe Array(UnsafeBufferPointer(start: start, count: count))
  }
}
