import CJOSE
import KeyrackProtocol

/// A key in cjose's hands, public or private.
// @unchecked: the pointer never changes; cjose and OpenSSL only read a key that has been made.
@safe final class CJOSEKey: @unchecked Sendable {
  @unsafe let handle: OpaquePointer

  /// Takes over the key.
  @unsafe init?(_ handle: OpaquePointer?) {
    guard let handle = unsafe handle else { return nil }
    unsafe self.handle = handle
  }

  /// From the text of a JWK. cjose checks that a point is on its curve, and ends the process over a number that has padding
  /// in its middle.
  convenience init?(json text: [UInt8]) {
    guard let scan = try? JSONScan(text), Self.hasValidNumbers(scan, text) else { return nil }
    unsafe self.init(
      text.withUnsafeBytes {
        unsafe cjose_jwk_import($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, nil)
      })
  }

  deinit { unsafe _ = cjose_jwk_release(handle) }

  /// RFC 7518, section 6: those of all types of key.
  private static let numbers: Set = ["n", "e", "d", "p", "q", "dp", "dq", "qi", "x", "y", "k"]

  private static func hasValidNumbers(_ scan: JSONScan, _ text: [UInt8]) -> Bool {
    scan.members.allSatisfy { member in
      guard numbers.contains(member.name), let number = scan.text(of: member, in: text) else { return true }
      return Base64.isURLEncoded(Array(number.utf8)[...])
    }
  }

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
