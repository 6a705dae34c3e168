import KeyrackCore

struct FakeDigest: Digest {
  func sha256(_ bytes: [UInt8]) -> String { "digest of " + String(decoding: bytes, as: UTF8.self) }
}
