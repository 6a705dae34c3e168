import KeyrackProtocol
import TestSupport

/// A program that asks for tokens of one account after the other and tries them at the provider.
struct SoakClient {
  /// How late a reply may reach a client of a busy machine.
  private static let slack = Duration.seconds(1)

  private let soak: FlappingSoak
  private var random: SeededGenerator
  /// Nil where the next request gets a fresh connection.
  private var kept: (wire: Wire, life: Int)?

  init(_ soak: FlappingSoak, seed: UInt64) {
    self.soak = soak
    random = SeededGenerator(seed)
  }

  mutating func run(until end: ContinuousClock.Instant) async throws {
    while ContinuousClock.now < end {
      await ask()
      // The pace of a program, not a wait for anything.
      try await Task.sleep(for: .milliseconds(Int.random(in: 0...60, using: &random)))
    }
  }

  private mutating func ask() async {
    guard let account = soak.accounts.randomElement(using: &random) else { return }
    let operation = TokenOperation(
      account: account, minimumValidity: [nil, 0, 2].randomElement(using: &random) ?? nil)
    let life = if let kept { kept.life } else { await soak.record.life }
    let sent = ContinuousClock.now
    do {
      let wire = try kept?.wire ?? Wire(soak.fixture.daemon.socket)
      kept = Int.random(in: 0..<4, using: &random) == 0 ? nil : (wire, life)
      let reply = try await wire.call(operation)
      await soak.record.gotToken(text(reply.token))
      await check(reply, sent: sent, received: .now)
    } catch let error as ReplyError {
      await soak.record.gotError(error)
      if error.code == .loginRequired { await soak.repairs.signInAgain(account, error, askedAt: sent) }
    } catch {
      kept = nil
      await soak.record.lostConnection(error, life: life)
    }
  }

  /// That it was not dead when it was handed out. Whether it has died since is none of the daemon's doing.
  private func check(
    _ reply: TokenOperation.Reply, sent: ContinuousClock.Instant, received: ContinuousClock.Instant
  ) async {
    do {
      guard let dead = try await soak.fixture.provider.deadTime(ofAccessToken: text(reply.token)) else { return }
      let now = ContinuousClock.now
      if dead > now - sent || dead > now - received + Self.slack {
        let claim = "said to be good for \(reply.expiresIn ?? -1) s"
        await soak.record.violated("\(reply.account): a token \(claim), dead for \(dead - (now - received))")
      }
    } catch { await soak.record.violated("\(reply.account): a token that the provider does not know: \(error)") }
  }
}

/// Signs in again to accounts whose session is lost, once for each loss however many clients were told.
actor SoakRepairs {
  private let fixture: KeyrackFixture
  private let record: SoakRecord
  private var underWay: Set<String> = []
  private var signedIn: [String: ContinuousClock.Instant] = [:]

  init(_ fixture: KeyrackFixture, _ record: SoakRecord) {
    self.fixture = fixture
    self.record = record
  }

  func signInAgain(_ account: String, _ error: ReplyError, askedAt: ContinuousClock.Instant) async {
    // What was asked before the last sign-in tells of the session before that.
    if let last = signedIn[account], askedAt < last { return }
    guard underWay.insert(account).inserted else { return }
    defer { underWay.remove(account) }
    do {
      await record.read(try await fixture.provider.log(after: record.newest))
      await record.lost(account, error)
      try await eventually("the sign-in to \(account)", within: .seconds(60)) {
        (try? await fixture.signInNumbered(account)) != nil
      }
    } catch { await record.violated("\(error)") }
    signedIn[account] = .now
  }
}

extension KeyrackFixture {
  /// The provider's `user-N` has the password `password-N`.
  func signInNumbered(_ account: String) async throws {
    try await signIn(account, username: account, password: account.replacing("user-", with: "password-"))
  }
}
