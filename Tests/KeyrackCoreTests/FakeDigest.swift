import KeyrackCore
import KeyrackProtocol

struct FakeDigest: Digest, Fingerprints {
  func sha256(_ bytes: [UInt8]) -> String { "digest of " + String(decoding: bytes, as: UTF8.self) }

  func fingerprint(of token: Secret) -> String {
    "mark-" + String(token.bytes.reduce(5381) { ($0 &* 33 ^ Int($1)) % 100_003 })
  }
}
