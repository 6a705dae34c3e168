import Foundation
import KeyrackProtocol
import TestSupport
import Testing

extension RealServerFixture {
  /// Has all access tokens expire, in two rounds of three with a daemon that was restarted meanwhile, and expects others.
  func outliveExpiry(_ round: Int) async throws {
    // New ones, so that no refresh is under way when the daemon is killed.
    let spent = try await goodTokens(insteadOf: goodTokens().map { text($0.token) })
    switch round % 3 {
    case 1: try await daemon.restart()
    case 2:
      await daemon.kill()
      try await daemon.start()
    default: break
    }
    try await waitForExpiry(of: spent)
    let tokens = try await goodTokens()
    for (old, new) in zip(spent, tokens) { #expect(new.token != old.token) }
  }

  private func waitForExpiry(of tokens: [TokenOperation.Reply]) async throws {
    let end = try #require(tokens.compactMap(\.expiresAt).max())
    try await Task.sleep(for: .seconds(Date(timeIntervalSince1970: Double(end)).timeIntervalSinceNow))
    for (provider, token) in zip(providers, tokens) {
      try await eventually("the end of the access token of \(provider.account)") {
        try await !provider.accepts(accessToken: text(token.token))
      }
    }
  }

  /// Logs out of all accounts, and expects that what they had ends wherever a client may have that.
  func expectLogout() async throws {
    let tokens = try await goodTokens(insteadOf: goodTokens().map { text($0.token) })
    for (provider, token) in zip(providers, tokens) {
      // glewlwyd lets no public client revoke.
      let isRevocable = provider.kind != .glewlwyd
      let reply = try await daemon.call(LogoutOperation(account: provider.account, wait: true))
      #expect(reply == .init(account: provider.account, local: .done, remote: isRevocable ? .done : .unsupported))
      if isRevocable { #expect(try await !provider.accepts(accessToken: text(token.token))) }
    }
    #expect(try await session.items().isEmpty)
    #expect(try await daemon.call(StatusOperation()).outbox.isEmpty)
  }
}
