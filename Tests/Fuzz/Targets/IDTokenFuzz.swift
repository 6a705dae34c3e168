import KeyrackCore
import KeyrackProtocol

@testable import KeyrackSystem

/// A token for the keys of ``FormerProvider``, claims that somebody has signed, keys for tokens that it has signed.
enum IDTokenFuzz {
  private static let keys = try? JSONWebKeySet(HTTPResponse(status: 200, body: Array(FormerProvider.keys.utf8)))
  private static let tokens = FormerProvider.tokens.compactMap { try? CompactJWS(Secret($0)) }
  private static let expectation = IDTokenExpectation(
    issuer: "https://sso.example.org", clientID: "keyrack", trustedAudiences: ["other"], nonce: "n1",
    now: 1_800_000_000)

  static func run(_ input: [UInt8]) throws {
    try judgeToken(input)
    try judgeClaims(input)
    judgeKeys(input)
  }

  private static func judgeToken(_ input: [UInt8]) throws {
    guard let token = try? CompactJWS(Secret(input)), let keys else { return }
    for payload in payloads(of: token, by: keys) {
      try require(payload == Array(FormerProvider.payload.utf8), "a token was taken that nobody has signed")
    }
  }

  private static func judgeClaims(_ input: [UInt8]) throws {
    let payload: IDTokenPayload
    do { payload = try CompactJWS.json(input, "payload") } catch {
      let message = error.message.utf8
      return try require(message.count < 1024 && !message.contains { $0 < 0x20 }, "a message that is not one line")
    }
    let claims = payload.claims(signedBy: .rs256)
    try? expectation.checkRefresh(claims, subject: claims.subject)
    guard (try? expectation.check(claims)) != nil else { return }
    try require(claims.audiences.contains("keyrack"), "a token for another client was taken")
    try require(claims.expiresAt > 1_799_999_940, "a token was taken that has expired")
    try require(claims.nonce == "n1" && claims.issuer == expectation.issuer, "a token of another sign-in was taken")
  }

  private static func judgeKeys(_ input: [UInt8]) {
    guard let keys = try? JSONWebKeySet(HTTPResponse(status: 200, body: input)) else { return }
    for token in tokens { _ = payloads(of: token, by: keys) }
  }

  private static func payloads(of token: CompactJWS, by keys: JSONWebKeySet) -> [[UInt8]] {
    keys.candidates(for: token).compactMap { $0.imported(for: token.algorithm)?.payload(of: token) }
  }
}
