import Foundation
import KeyrackProtocol
import TestSupport
import Testing

/// An issuer whose authority is nobody's but the person's.
extension RealServerSignInTests {
  /// No request may name a file, so that the configuration does. Without openid: see `RealServerRegistrationTests`.
  @Test func anIssuerOfAPrivateAuthorityIsAddedOnceThatIsConfigured() async throws {
    let provider = try RealServers.provider(.django)
    let session = try await PrivateSession()
    let daemon = try await KeyrackDaemon(in: session, configuration: "")
    let add = {
      try await Child.run(
        [Products.path(of: "keyrack"), "account", "add", "own", "--issuer", provider.url("/o"), "--scopes", "mail"],
        environment: daemon.environment.merging(["BROWSER": provider.browser().joined(separator: " ")]) { $1 },
        within: .seconds(30))
    }
    let refused = try await add()
    #expect(refused.status == 4, "\(refused.error)")
    #expect(refused.error.contains("is not from a known authority\nkeyrack: hint: "), "\(refused.error)")
    #expect(refused.error.contains("ca_file=/PATH/OF/ITS.pem in [keyrack] of keyrack.conf, and keyrack reload"))

    try daemon.write(configuration: "[keyrack]\nca_file=\(try #require(provider.caFile))\n")
    #expect(try await daemon.keyrack("reload").status == 0)
    let added = try await add()
    #expect(added.status == 0, "\(added.error)")
    #expect(added.error.hasSuffix("signed in to own\n"), "\(added.error)")
    let token = try await daemon.keyrack("token", "own").output.trimmingCharacters(in: .newlines)
    #expect(try await provider.accepts(accessToken: token))
    #expect(try await daemon.call(LogoutOperation(account: "own", wait: true)).remote == .done)
  }
}
