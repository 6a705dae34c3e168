import KeyrackProtocol
import TestSupport
import Testing

/// A sign-in at a real server that waits for a person.
struct PendingSignIn {
  let event: LoginEvent
  private let wire: Wire
  private let provider: RealProvider

  init(_ login: LoginOperation, _ daemon: KeyrackDaemon, at provider: RealProvider) async throws {
    self.provider = provider
    wire = try Wire(daemon.socket)
    try await wire.send(login.line())
    let line = try #require(try await wire.line())
    event = try #require(LoginEvent(line: Array(line.utf8)), "\(line)")
  }

  /// What the person opens.
  var url: String {
    switch event {
    case .authorize(let authorize): authorize.url
    case .device(let device): device.verificationURIComplete ?? device.verificationURI
    }
  }

  /// Opens it in the person's browser.
  @discardableResult func browse(as user: String = "alice", _ options: String...) async throws -> Child.Result {
    try await Child.run(
      provider.browser(as: user, options) + [url], environment: ["PATH": "/usr/bin:/bin"], within: .seconds(30))
  }

  /// Throws the `ReplyError` that it ends in.
  func outcome() async throws -> LoginOperation.Reply {
    let line = try #require(try await wire.line())
    return try Reply<LoginOperation.Reply>(line: line.utf8).result.get()
  }

  func failure() async throws -> ReplyError {
    try await #require(throws: ReplyError.self) { try await outcome() }
  }
}
