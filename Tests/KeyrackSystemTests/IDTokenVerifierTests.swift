import CJOSE
import KeyrackCore
import KeyrackProtocol
import Testing

@testable import KeyrackSystem

private let now = Sample.now
private let rsa = Sample.rsa
private let ec = Sample.ec
private let stranger = Sample.stranger

private func claims(_ changes: [String: Any?] = [:]) -> String { Sample.claims(changes) }
private func set(_ keys: String...) -> String { Sample.set(keys) }

@Suite(.timeLimit(.minutes(1))) struct IDTokenVerifierTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    /// Nil where the token is good.
    let refusal: String?
    let token: @Sendable () -> Secret

    init(_ name: String, _ refusal: String? = nil, _ token: @escaping @Sendable () -> Secret) {
      self.name = name
      self.refusal = refusal
      self.token = token
    }

    /// Otherwise good claims, signed by the provider's RSA key.
    init(_ name: String, _ refusal: String?, _ changes: [String: (any Sendable)?]) {
      self.init(name, refusal) { rsa.sign(claims(changes), alg: "RS256") }
    }

    var testDescription: String { name }
  }

  // After the modules of the OpenID conformance suite.
  private static let claimCases: [Case] = [
    Case("as expected", nil, [:]),
    Case("iss missing", "it has no iss", ["iss": nil]),
    Case("iss wrong", "its iss is another issuer", ["iss": "https://evil.example.org"]),
    Case("iss a number", "its iss is not a text", ["iss": 5]),
    Case("aud missing", "it has no aud", ["aud": nil]),
    Case("aud wrong", "its aud is another client", ["aud": "other"]),
    Case("aud empty", "its aud is another client", ["aud": [String]()]),
    Case("aud a list of one", nil, ["aud": ["keyrack"]]),
    Case(
      "aud a list with a number", "its aud is not a text or a list of texts",
      ["aud": ["keyrack", 5] as [any Sendable]]),
    Case("aud with another", "its aud names somebody else, too", ["aud": ["keyrack", "other"], "azp": "keyrack"]),
    Case("aud twice, no azp", "it has several audiences and no azp", ["aud": ["keyrack", "keyrack"]]),
    Case("aud twice, azp", nil, ["aud": ["keyrack", "keyrack"], "azp": "keyrack"]),
    Case("azp wrong", "its azp is another client", ["azp": "other"]),
    Case("nonce missing", "it has no nonce", ["nonce": nil]),
    Case("nonce wrong", "its nonce is of another sign-in", ["nonce": "n2"]),
    Case("exp missing", "it has no exp", ["exp": nil]),
    Case("exp a text", "its exp is not a number", ["exp": "1800000300"]),
    Case("exp with a fraction", nil, ["exp": Double(now) + 300.5]),
    Case("exp beyond all time", "its exp is no time", ["exp": 1e300]),
    Case("exp negative", "its exp is no time", ["exp": -1]),
    Case("exp passed", "it has expired (exp)", ["exp": now - 60]),
    Case("exp within the leeway", nil, ["exp": now - 59]),
    Case("iat missing", "it has no iat", ["iat": nil]),
    Case("iat in the future", "it was issued in the future (iat): is the clock right?", ["iat": now + 601]),
    Case("sub missing", "it has no sub", ["sub": nil]),
    Case("sub empty", "its sub is empty", ["sub": ""]),
    Case("sub of 255", nil, ["sub": String(repeating: "s", count: 255)]),
    Case("sub of 256", "its sub is not up to 255 characters of ASCII", ["sub": String(repeating: "s", count: 256)]),
    Case("sub beyond ASCII", "its sub is not up to 255 characters of ASCII", ["sub": "Zo\u{EB}"]),
    Case("email a number", nil, ["email": 5]),
  ]

  private static let signatureCases: [Case] = [
    Case("RS256") { rsa.sign(claims(), alg: "RS256") },
    Case("RS384") { rsa.sign(claims(), alg: "RS384") },
    Case("RS512") { rsa.sign(claims(), alg: "RS512") },
    Case("PS256") { rsa.sign(claims(), alg: "PS256") },
    Case("ES256") { ec.sign(claims(), alg: "ES256") },
    Case("alg none", "it is not signed (alg none)") {
      Secret(base64URL(#"{"alg":"none"}"#) + "." + base64URL(claims()) + ".")
    },
    Case("alg none in other letters", "its signature algorithm is not supported") {
      Secret(base64URL(#"{"alg":"nOnE"}"#) + "." + base64URL(claims()) + ".")
    },
    Case("the public key as a shared secret", "it is signed with a shared secret (alg HS256), which is not accepted") {
      SigningParty.shared(Array(rsa.jwk().utf8)).sign(claims(), alg: "HS256")
    },
    Case("EdDSA", "its signature algorithm EdDSA is not supported") {
      Secret(base64URL(#"{"alg":"EdDSA"}"#) + "." + base64URL(claims()) + ".AAAA")
    },
    Case("no alg", "its header has no alg") { Secret(base64URL("{}") + "." + base64URL(claims()) + ".AAAA") },
    Case("one bit of the signature flipped, RSA", "its signature is wrong") {
      flipped(rsa.sign(claims(), alg: "RS256"))
    },
    Case("one bit of the signature flipped, EC", "its signature is wrong") { flipped(ec.sign(claims(), alg: "ES256")) },
    Case("another payload", "its signature is wrong") {
      var parts = text(rsa.sign(claims(), alg: "RS256")).split(separator: ".")
      parts[1] = Substring(base64URL(claims(["sub": "somebody"])))
      return Secret(parts.joined(separator: "."))
    },
    Case("no signature", "it has no signature") {
      Secret(text(rsa.sign(claims(), alg: "RS256")).split(separator: ".").prefix(2).joined(separator: ".") + ".")
    },
    Case("another key of the same name", "its signature is wrong") { stranger.sign(claims(), alg: "RS256") },
    Case("the name of a key of another type", "the key that it names is not for its algorithm") {
      SigningParty.ec("r1").sign(claims(), alg: "ES256")
    },
    Case("a curve that is not the algorithm's", "the key that it names is not for its algorithm") {
      ec.sign(claims(), alg: "ES384")
    },
    Case("crit", "its header has extensions that must be understood (crit)") {
      rsa.sign(claims(), alg: "RS256", header: ["crit": #"["exp"]"#])
    },
    Case("kid a number", "the kid in its header is not a text") {
      rsa.sign(claims(), alg: "RS256", header: ["kid": "[5]"])
    },
  ]

  private static let shapeCases: [Case] = [
    Case("JWE", "it is encrypted (JWE), which is not supported") { Secret("e30.AA.AA.AA.AA") },
    Case("empty", "it is not a signed token in the compact form") { Secret("") },
    Case("garbage", "it is not a signed token in the compact form") { Secret("garbage") },
    Case("two parts", "it is not a signed token in the compact form") { Secret("e30.e30") },
    Case("a dot too many", "it is not a signed token in the compact form") {
      Secret(text(rsa.sign(claims(), alg: "RS256")) + ".")
    },
    Case("padding", "it is not a signed token in the compact form") {
      Secret(text(rsa.sign(claims(), alg: "RS256")) + "==")
    },
    Case("NUL at the end", "it is not a signed token in the compact form") {
      Secret(text(rsa.sign(claims(), alg: "RS256")) + "\0")
    },
    Case("a header that is no object", "its header is not JSON as it should be: not a JSON object") {
      Secret(base64URL("[]") + ".e30.AAAA")
    },
    Case("duplicate members in the header", #"its header is not JSON as it should be: duplicate member "alg""#) {
      Secret(base64URL(#"{"alg":"RS256","alg":"none"}"#) + ".e30.AAAA")
    },
    Case("duplicate claims", #"its payload is not JSON as it should be: duplicate member "sub""#) {
      rsa.sign(claims().dropLast() + #","sub":"somebody"}"#, alg: "RS256")
    },
    Case("a payload that is no JSON", "its payload is not JSON as it should be: not a JSON object") {
      rsa.sign("hello", alg: "RS256")
    },
    Case("oversized", "it has more than 65536 bytes") { Secret(String(repeating: "a", count: 65_537)) },
    Case("large", nil, ["groups": String(repeating: "g", count: 40_000)]),
  ]

  @Test(arguments: claimCases + signatureCases + shapeCases)
  func aTokenIsTakenOnlyWhereItIsAsExpected(_ row: Case) async throws {
    let rig = try VerifierRig(set(rsa.jwk(["use": "sig"]), ec.jwk()))
    let wanted = row.refusal.map { "the id_token is not valid: \($0)" }
    #expect(await rig.refusal(row.token()) == wanted)
  }

  @Test func theClaimsAreThoseOfTheToken() async throws {
    let rig = try VerifierRig(set(ec.jwk()))
    let claims = try await rig.verify(ec.sign(claims(), alg: "ES256")).get()
    #expect(
      claims
        == IDTokenClaims(
          issuer: "https://sso.example.org", subject: "248289761001", audiences: ["keyrack"], expiresAt: now + 300,
          issuedAt: now, nonce: "n1", email: "ann@example.org", algorithm: .es256))
    #expect(rig.server.requests.map(\.line) == ["GET /keys HTTP/1.1"])
  }

  @Test(arguments: [("ES384", CJOSE_JWK_EC_P_384), ("ES512", CJOSE_JWK_EC_P_521)])
  func largerCurvesAreTaken(_ alg: String, _ curve: cjose_jwk_ec_curve) async throws {
    let party = SigningParty.ec(curve: curve)
    #expect(try await VerifierRig(set(party.jwk())).refusal(party.sign(claims(), alg: alg)) == nil)
  }

  @Test func aNonceThatWasNotSentIsRefused() async throws {
    var expecting = Sample.expectation
    expecting.nonce = nil
    let rig = try VerifierRig(set(rsa.jwk()))
    let got = await rig.verify(rsa.sign(claims(), alg: "RS256"), expecting)
    #expect(got == .failure(CompactJWS.broken("it has a nonce that was not asked for")))
  }

  @Test func aRefreshIsOfTheSameSubjectAndNeedsNoNonce() async throws {
    let rig = try VerifierRig(set(rsa.jwk()))
    let token = rsa.sign(claims(["nonce": nil]), alg: "RS256")
    let same = await rig.verify(token, refreshOf: "248289761001")
    #expect(throws: Never.self) { try same.get() }
    let other = await rig.verify(token, refreshOf: "248289761002")
    #expect(throws: IDTokenError(.otherSubject, "the id_token of the refresh is of another subject")) {
      try other.get()
    }
  }

  /// The example of OpenID Connect Core, appendix A.3.
  @Test func anAccessTokenIsTiedByItsHash() async throws {
    let rig = try VerifierRig(set(rsa.jwk()))
    let token = rsa.sign(claims(["at_hash": "77QmUPtjPfzWtF2AnpK9RQ"]), alg: "RS256")
    let good = await rig.verify(token, accessToken: Secret("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"))
    #expect(throws: Never.self) { try good.get() }
    let bad = await rig.verify(token, accessToken: Secret("other"))
    #expect(throws: CompactJWS.broken("its at_hash is of another access token")) { try bad.get() }
  }

  private static func text(_ token: Secret) -> String { String(decoding: token.bytes, as: UTF8.self) }

  /// Not in the last character, some of whose bits mean nothing.
  private static func flipped(_ token: Secret) -> Secret {
    var bytes = token.bytes
    let place = bytes.count - 20
    bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    return Secret(bytes)
  }
}
