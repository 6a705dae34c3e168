import CJOSE
import Foundation
import KeyrackProtocol
import TestSupport
import Testing

@testable import KeyrackSystem

private let now = 1_800_000_000

@Suite(.timeLimit(.minutes(1))) struct ClientAssertionTests {
  private let ec = SigningParty.ec("e1")

  @Test func apple() throws {
    let key = try SigningKey(Secret(ec.jwk(isPrivate: true)))
    let token = try ClientAssertion.apple(teamID: "TEAM123456", clientID: "org.example.app", keyID: "KEY1234567")
      .signed(by: key, now: now)
    #expect(header(of: token) == ["alg": "ES256", "kid": "KEY1234567", "typ": "JWT"])
    let payload = try #require(ec.payload(of: token))
    #expect(
      json(payload)
        == json([
          "iss": "TEAM123456", "sub": "org.example.app", "aud": "https://appleid.apple.com", "iat": now,
          "exp": now + 300,
        ]))
  }

  @Test func eachAssertionOfAClientIsItsOwn() throws {
    let key = try SigningKey(Secret(ec.jwk(isPrivate: true)))
    let assertion = ClientAssertion.privateKeyJWT(clientID: "keyrack", audience: "https://sso.example.org/token")
    let tokens = try (0..<2).map { _ in try assertion.signed(by: key, now: now) }
    var payloads = try tokens.map { try #require(ec.payload(of: $0)) }
    let ids = try payloads.map { try #require($0["jti"] as? String) }
    #expect(ids[0] != ids[1])
    #expect(ids.allSatisfy { $0.utf8.count == 22 })
    payloads[0]["jti"] = nil
    #expect(
      json(payloads[0])
        == json([
          "iss": "keyrack", "sub": "keyrack", "aud": "https://sso.example.org/token", "iat": now, "exp": now + 60,
        ]))
    #expect(header(of: tokens[0]) == ["alg": "ES256", "kid": "e1", "typ": "JWT"])
  }

  @Test(arguments: [(0, 60), (60, 60), (200, 200), (301, 300), (Int.max, 300)])
  func aLifetimeIsOneToFiveMinutes(_ wanted: Int, _ got: Int) {
    #expect(ClientAssertion.privateKeyJWT(clientID: "a", audience: "b", lifetime: wanted).lifetime == got)
  }

  @Test func anRSAKeySignsRS256() async throws {
    let rsa = SigningParty.rsa("r1")
    let signer = ClientSigner(thread: try ThreadExecutor(name: "jose"))
    let token = try await signer.sign(
      .privateKeyJWT(clientID: "keyrack", audience: "x"), with: Secret(rsa.jwk(isPrivate: true)), now: now)
    #expect(header(of: token)?["alg"] == "RS256")
    #expect(rsa.payload(of: token)?["sub"] as? String == "keyrack")
  }
}

/// Keys as people have them: made by the command line of OpenSSL.
@Suite(.timeLimit(.minutes(1))) struct SigningKeyTests {
  struct PEM: Sendable, CustomTestStringConvertible {
    let command: String
    let algorithm: SigningKey.Algorithm
    var testDescription: String { command }
  }

  @Test(arguments: [
    PEM(command: "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key", algorithm: .es256),
    PEM(command: "openssl ecparam -name prime256v1 -genkey -out key", algorithm: .es256),
    PEM(command: "openssl ecparam -name prime256v1 -genkey -noout -out key", algorithm: .es256),
    PEM(command: "openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out key", algorithm: .rs256),
    PEM(command: "openssl genrsa -traditional -out key 2048", algorithm: .rs256),
  ]) func whatOpenSSLWritesIsTaken(_ pem: PEM) throws {
    let directory = try TemporaryDirectory()
    try run("\(pem.command); openssl pkey -in key -pubout -out public", in: directory)
    let key = try SigningKey(Secret(try text("key", in: directory)))
    #expect(key.algorithm == pem.algorithm)
    #expect(key.keyID == nil)
    let token = try ClientAssertion.privateKeyJWT(clientID: "keyrack", audience: "x").signed(by: key, now: now)
    #expect(header(of: token) == ["alg": pem.algorithm.rawValue, "typ": "JWT"])
    #expect(try isSigned(token, in: directory, pem.algorithm))
  }

  @Test(arguments: [
    ("openssl ecparam -name secp384r1 -genkey -noout -out key", "an EC key must be on the curve P-256"),
    ("openssl ecparam -name secp256k1 -genkey -noout -out key", "an EC key must be on the curve P-256"),
    ("openssl genpkey -algorithm ED25519 -out key", "it is neither an EC nor an RSA key"),
    ("openssl genrsa -out key 1024", "an RSA key needs 2048 to 8192 bits, and it has 1024"),
    ("openssl genrsa 2048 | openssl rsa -pubout -out key", "it has no private part"),
    (
      "openssl genrsa 2048 | openssl pkcs8 -topk8 -passout pass:x -out key",
      "it is encrypted; decrypt it by \"openssl pkey -in FILE\""
    ),
    (
      "openssl ecparam -name prime256v1 -genkey | openssl ec -aes128 -passout pass:x -out key",
      "it is encrypted; decrypt it by \"openssl pkey -in FILE\""
    ),
    ("printf hello >key", "it is neither PEM nor a JWK"),
    (": >key", "it is neither PEM nor a JWK"),
    (
      "printf -- '-----BEGIN PRIVATE KEY-----\\nAAAA\\n-----END PRIVATE KEY-----\\n' >key",
      "it is neither PEM nor a JWK"
    ),
  ]) func aKeyThatIsNotUsableIsSaid(_ command: String, _ reason: String) throws {
    let directory = try TemporaryDirectory()
    try run(command, in: directory)
    let text = Secret(try text("key", in: directory))
    #expect(throws: SigningKeyError(reason)) { try SigningKey(text) }
  }

  @Test func aJWKNeedsItsPrivatePart() {
    let party = SigningParty.ec()
    #expect(throws: SigningKeyError("it has no private part")) { try SigningKey(Secret(party.jwk())) }
    let large = SigningParty.ec(curve: CJOSE_JWK_EC_P_384).jwk(isPrivate: true)
    #expect(throws: SigningKeyError.wrongCurve) { try SigningKey(Secret(large)) }
    let broken = party.jwk(isPrivate: true, ["crv": "P-1"])
    #expect(throws: SigningKeyError("it is not a JWK of an EC or an RSA key")) { try SigningKey(Secret(broken)) }
    // Over which cjose ends the process.
    let padded = SigningParty.rsa().jwk(isPrivate: true, ["d": "A=AA"])
    #expect(throws: SigningKeyError("it is not a JWK of an EC or an RSA key")) { try SigningKey(Secret(padded)) }
    #expect(throws: SigningKeyError.self) { try SigningKey(Secret(#"{"kty":"EC""#)) }
  }

  /// By the public key's numbers as OpenSSL prints them.
  private func isSigned(
    _ token: Secret, in directory: TemporaryDirectory, _ algorithm: SigningKey.Algorithm
  ) throws -> Bool {
    let parts = String(decoding: token.bytes, as: UTF8.self).split(separator: ".")
    let jwk: String
    switch algorithm {
    case .es256:
      try run("openssl pkey -pubin -in public -outform DER | tail -c 64 >point", in: directory)
      let point = try Data(contentsOf: URL(filePath: directory.path + "/point"))
      jwk = json(["kty": "EC", "crv": "P-256", "x": encoded(point.prefix(32)), "y": encoded(point.suffix(32))])
    case .rs256:
      try run("openssl rsa -pubin -in public -noout -modulus | sed 's/.*=//' >modulus", in: directory)
      let digits = Array(try text("modulus", in: directory).trimmingCharacters(in: .whitespacesAndNewlines))
      let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
      jwk = json(["kty": "RSA", "e": "AQAB", "n": encoded(Data(bytes))])
    }
    return parts.count == 3 && SigningParty.imported(jwk).payload(of: token)?["sub"] as? String == "keyrack"
  }

  private func encoded(_ bytes: Data) -> String {
    bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  private func text(_ name: String, in directory: TemporaryDirectory) throws -> String {
    try String(contentsOf: URL(filePath: directory.path + "/" + name), encoding: .utf8)
  }

  private func run(_ script: String, in directory: TemporaryDirectory) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-ec", script]
    process.currentDirectoryURL = URL(filePath: directory.path)
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }
}
