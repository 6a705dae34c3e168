import CGLib
import KeyrackCore
package import KeyrackProtocol

/// HMAC-SHA256 by GLib, with a key that nobody ever sees.
package struct KeyedFingerprints: Fingerprints {
  private static let halfBlock = [UInt8](repeating: 0, count: 32)
  private let key: [UInt8]

  package init() {
    var random = SystemRandomNumberGenerator()
    key = (0..<32).map { _ in .random(in: .min ... .max, using: &random) }
  }

  /// 64 bits in hexadecimal: enough to tell tokens apart, too few to be a token.
  package func fingerprint(of token: Secret) -> String {
    guard let hmac = unsafe g_hmac_new(G_CHECKSUM_SHA256, key, gsize(key.count)) else { return "" }
    defer { unsafe g_hmac_unref(hmac) }
    unsafe token.withUnsafeBytes { bytes in
      unsafe g_hmac_update(hmac, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), gssize(bytes.count))
    }
    // The block that GLib works on stays in memory that it does not give back: the last two have nothing of the token.
    for _ in 0..<4 { unsafe g_hmac_update(hmac, Self.halfBlock, gssize(Self.halfBlock.count)) }
    return unsafe g_hmac_get_string(hmac).map { unsafe String(String(cString: $0).prefix(16)) } ?? ""
  }
}
