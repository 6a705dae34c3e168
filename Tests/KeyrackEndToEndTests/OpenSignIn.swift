import KeyrackProtocol
import TestSupport
import Testing

/// A `login` that has asked something of the person, on a connection of its own.
struct OpenSignIn {
  let wire: Wire
  /// What it asked, as it came.
  let line: String
  let event: LoginEvent

  struct Surprise: Error, CustomStringConvertible {
    let description: String
  }

  init(
    _ fixture: KeyrackFixture, _ method: LoginOperation.Method = .browser, force: Bool? = nil, id: Int64 = 7
  ) async throws {
    wire = try Wire(fixture.daemon.socket)
    try await wire.send(LoginOperation(account: "work", method: method, force: force).line(id: .number(id)))
    line = try #require(try await wire.line())
    event = try #require(LoginEvent(line: Array(line.utf8)), "\(line)")
  }

  var url: String {
    get throws {
      guard case .authorize(let event) = event else { throw Surprise(description: line) }
      return event.url
    }
  }

  /// What the browser comes back with.
  func callback() async throws -> Callback { try await .opening(url) }

  /// How it ended.
  func outcome() async throws -> Result<LoginOperation.Reply, ReplyError> {
    let line = try #require(try await wire.line())
    return try Reply<LoginOperation.Reply>(line: line.utf8).result
  }

  func failure() async throws -> ReplyError {
    switch try await outcome() {
    case .success(let reply): throw Surprise(description: "it worked: \(reply)")
    case .failure(let error): return error
    }
  }
}

extension KeyrackFixture {
  /// A provider `corp` with all that a sign-in with a browser or a device can need, and an account at it.
  static func browser(_ more: String = "par=never") -> (SampleProvider) -> String {
    { provider in
      """
      [provider corp]
      issuer=\(provider.url(""))
      client_id=keyrack-test
      authorization_endpoint=\(provider.url("/authorize"))
      token_endpoint=\(provider.url("/token"))
      revocation_endpoint=\(provider.url("/revoke"))
      device_authorization_endpoint=\(provider.url("/device_authorization"))
      pushed_authorization_request_endpoint=\(provider.url("/par"))
      userinfo_endpoint=\(provider.url("/userinfo"))
      scopes=openid;mail;offline_access
      \(more)
      [account work]
      provider=corp
      """
    }
  }

  /// The same from the issuer's own description of itself.
  static func discovered(_ more: String = "") -> (SampleProvider) -> String {
    { provider in
      """
      [provider corp]
      issuer=\(provider.url(""))
      client_id=keyrack-test
      scopes=openid;mail;offline_access
      \(more)
      [account work]
      provider=corp
      """
    }
  }

  static func withBrowser(
    _ more: String = "par=never", keyring mode: PrivateSession.Mode = .unlocked
  ) async throws -> KeyrackFixture {
    try await KeyrackFixture(mode, configuration: browser(more))
  }

  /// Signs in from beginning to end.
  @discardableResult func signInWithBrowser(force: Bool? = nil) async throws -> LoginOperation.Reply {
    let login = try await OpenSignIn(self, force: force)
    try await login.callback().deliver()
    return try await login.outcome().get()
  }

  /// The paths that were asked for, in their order.
  func paths() async throws -> [String] { try await provider.log().map(\.path) }

  func requests(_ path: String) async throws -> [SampleProvider.LoggedRequest] {
    try await provider.log().filter { $0.path == path }
  }
}
