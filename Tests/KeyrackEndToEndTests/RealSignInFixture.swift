import Foundation
import KeyrackProtocol
import TestSupport
import Testing

/// The clients that a person signs in with. An account has the name of its client, and so has its provider.
enum RealClient: String, CaseIterable, Sendable {
  /// A public one of glewlwyd.
  case glewlwyd
  /// One of glewlwyd with a secret, at the issuer that takes pushed requests alone.
  case strict
  case django
  /// It has an application for each grant.
  case djangoDevice

  var kind: RealProvider.Kind { self == .glewlwyd || self == .strict ? .glewlwyd : .django }
  /// glewlwyd lets no public client revoke.
  var canRevoke: Bool { self != .glewlwyd }
  /// Where its issuer is below the server.
  var path: String { kind == .django ? "/o" : self == .strict ? "/api/strict" : "/api/oidc" }

  fileprivate var credentials: String {
    switch self {
    case .glewlwyd: "keyrack-test"
    case .strict: "keyrack-web&client_secret=web-secret"
    case .django: "keyrack-browser"
    case .djangoDevice: "keyrack-device"
    }
  }

  /// What is known of the client; the rest comes from the issuer.
  fileprivate func settings(_ provider: RealProvider) -> [String] {
    switch self {
    case .glewlwyd: ["client_id=keyrack-test"]
    case .strict: ["client_id=keyrack-web", "client_secret_command=echo web-secret"]
    // Its other document lacks where to revoke.
    case .django: ["client_id=keyrack-browser", "discovery=rfc8414"]
    // Neither document has where devices ask.
    case .djangoDevice:
      [
        "client_id=keyrack-device", "discovery=rfc8414",
        "device_authorization_endpoint=\(provider.url("/o/device-authorization/"))",
      ]
    }
  }
}

/// A daemon with an account for each client at the real servers, and a person with a browser.
struct RealSignInFixture {
  let session: PrivateSession
  let daemon: KeyrackDaemon

  init() async throws {
    session = try await PrivateSession()
    let groups = try RealClient.allCases.map { client in
      let provider = try RealServers.provider(client.kind)
      let settings =
        ["issuer=\(provider.url(client.path))", "redirect_ports=\(provider.redirectPort)"] + client.settings(provider)
        + (provider.caFile.map { ["ca_file=\($0)"] } ?? [])
      return "[provider \(client.rawValue)]\n" + settings.joined(separator: "\n")
        + "\n[account \(client.rawValue)]\nprovider=\(client.rawValue)\nscopes=openid;mail\n"
    }
    daemon = try await KeyrackDaemon(in: session, configuration: groups.joined())
  }

  // MARK: Signing in

  func begin(
    _ client: RealClient, _ method: LoginOperation.Method = .browser, force: Bool? = nil
  ) async throws -> PendingSignIn {
    try await PendingSignIn(
      LoginOperation(account: client.rawValue, method: method, force: force), daemon,
      at: RealServers.provider(client.kind))
  }

  @discardableResult
  func signIn(_ client: RealClient, as user: String = "alice", force: Bool? = nil) async throws -> LoginOperation.Reply
  {
    let pending = try await begin(client, force: force)
    let browser = try await pending.browse(as: user)
    #expect(browser.status == 0, "\(client): \(browser.output) \(browser.error)")
    return try await pending.outcome()
  }

  // MARK: What comes of it

  func token(_ client: RealClient, insteadOf spent: String? = nil) async throws -> String {
    let request = TokenOperation(account: client.rawValue, rejected: spent.map { Secret($0) })
    return text(try await daemon.call(request).token)
  }

  /// One that its server takes.
  func goodToken(_ client: RealClient, insteadOf spent: String? = nil) async throws -> String {
    let first = try await token(client, insteadOf: spent)
    #expect(first != spent, "\(client)")
    if try await accepts(first, client) { return first }
    // On a busy machine it may have expired meanwhile, or a refresh ahead of time have ended it. Then there is another.
    let other = try await token(client, insteadOf: first)
    #expect(other != first, "\(client)")
    #expect(try await accepts(other, client), "\(client)")
    return other
  }

  func accepts(_ token: String, _ client: RealClient) async throws -> Bool {
    try await RealServers.provider(client.kind).accepts(
      accessToken: token, issuer: client == .strict ? "strict" : "oidc")
  }

  /// The one that is in the keyring.
  func refreshToken(_ client: RealClient) async throws -> String {
    struct Document: Decodable { let payload: String }
    struct Record: Decodable { let refreshToken: String }
    let item = try #require(try await session.items().first { $0.attributes["account"] == client.rawValue })
    let document = try JSONDecoder().decode(Document.self, from: Data(item.secret.utf8))
    return try JSONDecoder().decode(Record.self, from: Data(document.payload.utf8)).refreshToken
  }

  /// It is spent then.
  func accepts(refreshToken: String, _ client: RealClient) async throws -> Bool {
    let form = "grant_type=refresh_token&refresh_token=\(refreshToken)&client_id=" + client.credentials
    let path = client.path + (client.kind == .django ? "/token/" : "/token")
    return try await RealServers.provider(client.kind).takes("POST", path, "--form", form)
  }

  func status(_ client: RealClient) async throws -> AccountStatus {
    try #require(try await daemon.call(StatusOperation(account: client.rawValue)).accounts.first)
  }

  /// What an id token says.
  struct Claims: Decodable {
    let iss: String
    let sub: String
  }

  func idToken(_ client: RealClient) async throws -> String {
    text(try await daemon.call(TokenOperation(account: client.rawValue, kind: .id)).token)
  }

  func claims(_ client: RealClient) async throws -> Claims {
    let parts = try await idToken(client).split(separator: ".")
    try #require(parts.count == 3)
    let payload = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
    let padded = payload + String(repeating: "=", count: (4 - payload.count % 4) % 4)
    return try JSONDecoder().decode(Claims.self, from: try #require(Data(base64Encoded: padded)))
  }
}
