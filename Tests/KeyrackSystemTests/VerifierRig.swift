import KeyrackCore
import KeyrackProtocol
import Synchronization
import Testing

@testable import KeyrackSystem

/// The provider of the tests, what it says and who it is.
enum Sample {
  static let now = 1_800_000_000
  static let rsa = SigningParty.rsa()
  static let ec = SigningParty.ec()
  /// Not published by anybody.
  static let stranger = SigningParty.rsa("r1")

  static let expectation = IDTokenExpectation(
    issuer: "https://sso.example.org", clientID: "keyrack", nonce: "n1", now: now)

  /// Claims that are as expected but for the changes; nil leaves one out.
  static func claims(_ changes: [String: Any?] = [:]) -> String {
    var members: [String: Any] = [
      "iss": "https://sso.example.org", "sub": "248289761001", "aud": "keyrack", "exp": now + 300, "iat": now,
      "nonce": "n1", "email": "ann@example.org", "email_verified": "true",
    ]
    for (name, value) in changes { members[name] = value }
    return json(members)
  }

  static func set(_ keys: [String]) -> String { #"{"keys":["# + keys.joined(separator: ",") + "]}" }
}

/// A clock that the test moves.
final class Hands: Sendable {
  private let time = Mutex(ContinuousClock.now)
  var now: ContinuousClock.Instant { time.withLock { $0 } }
  func advance(_ duration: Duration) { time.withLock { $0 += duration } }
}

/// A verifier and the provider that it gets keys from.
struct VerifierRig {
  let server: ScriptedServer
  let hands = Hands()
  private let verifier: IDTokenVerifier
  private let source: KeySource

  init(answers: [String]) throws {
    server = ScriptedServer(answers: answers)
    source = KeySource(endpoint: try Endpoint(validating: server.url + "/keys"))
    verifier = IDTokenVerifier(
      http: try HTTPClient(limits: .init(total: .seconds(2))), thread: try ThreadExecutor(name: "jose"),
      now: { [hands] in hands.now })
  }

  init(_ sets: String...) throws { try self.init(answers: sets.map { answer(200, $0) }) }

  func verify(
    _ token: Secret, _ expecting: IDTokenExpectation = Sample.expectation, refreshOf subject: String? = nil,
    accessToken: Secret? = nil
  ) async -> Result<IDTokenClaims, IDTokenError> {
    do {
      return .success(
        try await verifier.verify(
          token, keys: source, expecting: expecting, refreshOf: subject, accessToken: accessToken))
    } catch { return .failure(error) }
  }

  /// Nil where the token is taken.
  func refusal(_ token: Secret) async -> String? {
    switch await verify(token) {
    case .success: nil
    case .failure(let error): error.message
    }
  }
}
