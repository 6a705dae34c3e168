import KeyrackClient
import KeyrackProtocol

/// `keyrack login`, by whatever way.
struct LoginCommand {
  private static let longestPassword = 4096
  private let invocation: Invocation
  private let account: String
  private let refreshToken: Secret?

  /// `account` is the one that the command names, unless it is another; a `refreshToken` from elsewhere is what is used.
  init(_ invocation: Invocation, account: String? = nil, refreshToken: Secret? = nil) throws(CommandFailure) {
    let ways: [Option] = [.browser, .device, .paste, .passwordFromInput, .refreshTokenFromInput]
    for (position, way) in ways.enumerated() {
      for other in ways.dropFirst(position + 1) { try invocation.exclude(way, other) }
    }
    try invocation.exclude(.refreshTokenFromInput, .username)
    try invocation.exclude(.device, .username)
    self.invocation = invocation
    self.account = account ?? invocation.account ?? ""
    self.refreshToken = refreshToken
  }

  func run(json: Bool) throws -> Int32 {
    var answer = try answer(to: try operation(), json)
    if case .failure(let error) = answer.result, error.reason == "credentials_needed" {
      answer = try self.answer(to: try withPassword(), json)
    }
    return try Call.present(answer, json: json) { reply in
      let subject = reply.subject.map { " as \($0)" } ?? ""
      Output.note("signed in to \(reply.account)\(subject)\(reply.remembered ? "" : ", until keyrackd stops")")
      for warning in reply.warnings { Output.warning(warning.message) }
    }
  }

  /// Ctrl-C ends the sign-in, too.
  private func answer(to operation: LoginOperation, _ json: Bool) throws -> Answer<LoginOperation.Reply> {
    let client = try Client()
    let interruption = try LoginInterruption(account: account)
    defer { interruption.end() }
    let dialogue = LoginDialogue(
      account: account, method: operation.method, opensBrowser: !invocation.has(.noBrowser), showsProgress: !json)
    do {
      return try client.answer(to: operation) { try dialogue.show($0) }
    } catch let failure as CommandFailure {
      // The person gave up at a prompt.
      interruption.cancel()
      throw failure
    }
  }

  private func operation() throws -> LoginOperation {
    if let refreshToken { return operation(.refreshToken, refreshToken: refreshToken) }
    if invocation.has(.refreshTokenFromInput) {
      let token = try StandardInput.line("refresh token", longest: StandardInput.longestToken)
      return operation(.refreshToken, refreshToken: token)
    }
    if invocation.has(.passwordFromInput) {
      guard invocation.has(.username) else {
        throw CommandFailure.usage("--username: needed where the password comes from standard input", of: .login)
      }
      return operation(.password, password: try StandardInput.line("password", longest: Self.longestPassword))
    }
    if invocation.has(.browser) { return operation(.browser) }
    if invocation.has(.device) { return operation(.device) }
    if invocation.has(.paste) { return operation(.paste) }
    return operation(nil)
  }

  private func operation(
    _ method: LoginOperation.Method?, username: String? = nil, password: Secret? = nil, refreshToken: Secret? = nil
  ) -> LoginOperation {
    LoginOperation(
      account: account, method: method, username: username ?? invocation[.username], password: password,
      refreshToken: refreshToken, remember: invocation.has(.noRemember) ? false : nil,
      force: invocation.has(.force) ? true : nil)
  }

  /// The daemon has asked for them.
  private func withPassword() throws -> LoginOperation {
    let terminal = try Terminal()
    let username = try invocation[.username] ?? ask(terminal, "username", showing: true)
    let password = Secret(try answer(terminal, "password", showing: false))
    return operation(.password, username: username, password: password)
  }

  private func ask(_ terminal: borrowing Terminal, _ what: String, showing: Bool) throws -> String {
    String(decoding: try answer(terminal, what, showing: showing), as: UTF8.self)
  }

  private func answer(_ terminal: borrowing Terminal, _ what: String, showing: Bool) throws -> [UInt8] {
    let answer = try terminal.ask("\(what) for \(account.printable): ", showing: showing)
    if answer.isEmpty { throw CommandFailure(status: 1, "no \(what) was given") }
    return answer
  }
}
