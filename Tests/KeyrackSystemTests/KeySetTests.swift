import KeyrackCore
import KeyrackProtocol
import Testing

@testable import KeyrackSystem

private let rsa = Sample.rsa
private let ec = Sample.ec
private let stranger = Sample.stranger

private func claims(_ changes: [String: Any?] = [:]) -> String { Sample.claims(changes) }
private func set(_ keys: String...) -> String { Sample.set(keys) }

@Suite(.timeLimit(.minutes(1))) struct KeySetTests {
  private static let unknownKey = "the id_token is not valid: it is signed by a key that the provider does not publish"

  @Test func aSetServesManyTokens() async throws {
    let rig = try VerifierRig(set(rsa.jwk()))
    for _ in 0..<3 { #expect(await rig.refusal(rsa.sign(claims(), alg: "RS256")) == nil) }
    #expect(rig.server.requests.count == 1)
  }

  @Test func anUnknownKeyIsLookedForOncePerMinute() async throws {
    let rotated = SigningParty.rsa("r2")
    let rig = try VerifierRig(set(rsa.jwk()), set(rotated.jwk()))
    #expect(await rig.refusal(rsa.sign(claims(), alg: "RS256")) == nil)
    rig.hands.advance(.seconds(60))
    #expect(await rig.refusal(rotated.sign(claims(), alg: "RS256")) == nil)
    #expect(rig.server.requests.count == 2)
    let unknown = SigningParty.rsa("r3").sign(claims(), alg: "RS256")
    rig.hands.advance(.seconds(59))
    #expect(await rig.refusal(unknown) == Self.unknownKey)
    #expect(rig.server.requests.count == 2)
    rig.hands.advance(.seconds(1))
    #expect(await rig.refusal(unknown) == Self.unknownKey)
    #expect(rig.server.requests.count == 3)
  }

  @Test func aWrongSignatureMakesNoRequest() async throws {
    let rig = try VerifierRig(set(rsa.jwk()))
    #expect(await rig.refusal(rsa.sign(claims(), alg: "RS256")) == nil)
    rig.hands.advance(.seconds(600))
    #expect(await rig.refusal(stranger.sign(claims(), alg: "RS256")) != nil)
    #expect(rig.server.requests.count == 1)
  }

  @Test func aWithdrawnKeyIsBelievedForAnHour() async throws {
    let rig = try VerifierRig(set(rsa.jwk()), set(ec.jwk()))
    let token = rsa.sign(claims(), alg: "RS256")
    #expect(await rig.refusal(token) == nil)
    rig.hands.advance(.seconds(3599))
    #expect(await rig.refusal(token) == nil)
    rig.hands.advance(.seconds(1))
    #expect(await rig.refusal(token) == Self.unknownKey)
  }

  @Test func anOldSetServesOnWhereThereIsNoOther() async throws {
    let rig = try VerifierRig(answers: [answer(200, set(rsa.jwk())), answer(503)])
    let token = rsa.sign(claims(), alg: "RS256")
    #expect(await rig.refusal(token) == nil)
    rig.hands.advance(.seconds(7200))
    #expect(await rig.refusal(token) == nil)
    #expect(rig.server.requests.count == 2)
  }

  @Test func manyWaitForOneRequest() async throws {
    let rig = try VerifierRig(set(rsa.jwk()))
    let token = rsa.sign(claims(), alg: "RS256")
    await withTaskGroup(of: String?.self) { group in
      for _ in 0..<20 { group.addTask { await rig.refusal(token) } }
      for await refusal in group { #expect(refusal == nil) }
    }
    #expect(rig.server.requests.count == 1)
  }

  @Test func withoutANameEachFittingKeyIsTried() async throws {
    let (one, two) = (SigningParty.rsa(nil), SigningParty.rsa(nil))
    let rig = try VerifierRig(set(ec.jwk(), one.jwk(), two.jwk(["kid": "named"])))
    #expect(await rig.refusal(two.sign(claims(), alg: "RS256")) == nil)
    let refusal = await rig.refusal(SigningParty.rsa(nil).sign(claims(), alg: "RS256"))
    #expect(refusal == "the id_token is not valid: it is signed by none of the provider's keys")
  }

  struct Key: Sendable, CustomTestStringConvertible {
    let name: String
    let changes: [String: (any Sendable)?]
    /// The beginning.
    let refusal: String?
    var testDescription: String { name }
  }

  private static let unfit = "the key that it names is not for its algorithm"
  private static let unusable = "the provider's key for it is not usable"

  private static let keys: [Key] = [
    Key(name: "for signatures", changes: ["use": "sig", "alg": "ES256", "key_ops": ["verify"]], refusal: nil),
    Key(name: "for encryption", changes: ["use": "enc"], refusal: unfit),
    Key(name: "for signing only", changes: ["key_ops": ["sign"]], refusal: unfit),
    Key(name: "for another algorithm", changes: ["alg": "ES384"], refusal: unfit),
    Key(name: "of another type", changes: ["kty": "RSA"], refusal: unfit),
    Key(name: "of no type", changes: ["kty": nil], refusal: unfit),
    Key(name: "on another curve", changes: ["crv": "P-384"], refusal: unfit),
    Key(name: "on an unknown curve", changes: ["crv": "secp256k1"], refusal: unfit),
    Key(name: "without y", changes: ["y": nil], refusal: unusable),
    Key(
      name: "not on its curve", changes: ["x": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE"], refusal: unusable),
    Key(name: "x a number", changes: ["x": 5], refusal: unusable),
  ]

  @Test(arguments: keys) func aKeyHasToFit(_ key: Key) async throws {
    let rig = try VerifierRig(set(ec.jwk(key.changes)))
    let refusal = await rig.refusal(ec.sign(claims(), alg: "ES256"))
    #expect(refusal == key.refusal.map { "the id_token is not valid: \($0)" })
  }

  /// Of these keys one coordinate begins with a zero, which is missing in the last text.
  private static let coordinates = [
    (
      "x", "AAdgPGcSArmZRiEStc-c2jNDyyKt5OFP7Gi0NF7aqOw", "ykjLwhRIfZVV68p5k-_5a3PFFTmexWL3sWvdCLvKouI",
      "AAAAAAAAANgKIDewuaGhqpxDC6KcQaGouaA3sAogANg", "B2A8ZxICuZlGIRK1z5zaM0PLIq3k4U_saLQ0Xtqo7A"
    ),
    (
      "y", "2N_rCUyh4nLJbXR5YpWBl3ip3bSHVYnJOC5mq-5GWIw", "AAYtGyZtZbIYXsU0hLIX1Uy50B0FL9L0LH7nG5OiJuI",
      "AAAAAAAAAg0YnIdbwy_3KVg_ZvJYO_ckwyyHWhicAg0", "Bi0bJm1lshhexTSEshfVTLnQHQUv0vQsfucbk6Im4g"
    ),
  ]

  @Test(arguments: coordinates)
  func aCoordinateMayLackTheZeroAtItsStart(name: String, x: String, y: String, d: String, short: String) async throws {
    let key = SigningParty.imported(#"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)","d":"\#(d)"}"#)
    for number in [name == "x" ? x : y, short] {
      let rig = try VerifierRig(set(key.jwk([name: number])))
      #expect(await rig.refusal(key.sign(claims(), alg: "ES256")) == nil, "\(number)")
    }
  }

  @Test func aShortRSAKeyIsNotUsable() async throws {
    let short = SigningParty.rsa(bits: 1024)
    let refusal = try await VerifierRig(set(short.jwk())).refusal(short.sign(claims(), alg: "RS256"))
    #expect(refusal == "the id_token is not valid: the provider's key for it is not usable")
  }

  /// Over padding within a number cjose ends the process.
  @Test(arguments: ["n", "e"], ["A=AA", "=AQA", "AQAB=A", "AQ==", "A", "+/", "\u{E9}", "A\"A"])
  func aKeyWhoseNumberIsNotBase64URLIsNotUsable(name: String, number: String) async throws {
    let rig = try VerifierRig(set(rsa.jwk([name: number])))
    let refusal = await rig.refusal(rsa.sign(claims(), alg: "RS256"))
    #expect(refusal == "the id_token is not valid: \(Self.unusable)")
  }

  @Test func aBrokenKeyDoesNotSpoilTheOthers() async throws {
    let rig = try VerifierRig(set(#"{"kty":"OKP","crv":"Ed25519","x":"AA"}"#, #"{"kid":5}"#, "{}", rsa.jwk()))
    #expect(await rig.refusal(rsa.sign(claims(), alg: "RS256")) == nil)
  }

  @Test(arguments: [
    ("<html>", "not a JSON object"), ("{}", "no list of keys"), (#"{"keys":{}}"#, "no list of keys"),
    (#"{"keys":[],"keys":[]}"#, #"duplicate member "keys""#), ("", "not a JSON object"),
    (#"{"keys":["# + Array(repeating: "{}", count: 101).joined(separator: ",") + "]}", "more than 100 keys"),
  ]) func whatIsNoKeySetIsSaid(_ body: String, _ reason: String) async throws {
    let rig = try VerifierRig(body)
    let got = await rig.verify(rsa.sign(claims(), alg: "RS256"))
    let message = "127.0.0.1:\(rig.server.port) has answered with no key set: \(reason)"
    #expect(got == .failure(IDTokenError(.invalid, message)))
  }

  @Test(arguments: [404, 500, 503]) func keysThatCannotBeHadSayNothingOfTheToken(_ status: Int) async throws {
    let rig = try VerifierRig(answers: [answer(status), answer(200, set(rsa.jwk()))])
    let token = rsa.sign(claims(), alg: "RS256")
    let message =
      "could not get the keys of the provider: 127.0.0.1:\(rig.server.port) answered HTTP \(status)"
    #expect(await rig.verify(token) == .failure(IDTokenError(.keysUnavailable, message)))
    #expect(await rig.refusal(token) == nil)
  }

  @Test func aProviderThatIsAwaySaysNothingOfTheToken() async throws {
    let rig = try VerifierRig(answers: [""])
    guard case .failure(let error) = await rig.verify(rsa.sign(claims(), alg: "RS256")) else {
      Issue.record("taken")
      return
    }
    #expect(error.code == .temporarilyUnavailable)
  }
}
