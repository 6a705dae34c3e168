import KeyrackClient
import KeyrackProtocol

/// `keyrack login`: with a password, or with a refresh token from elsewhere.
struct LoginCommand {
  private static let longestPassword = 4096
  private let invocation: Invocation
  private let account: String

  init(_ invocation: Invocation) throws {
    try invocation.exclude(.passwordFromInput, .refreshTokenFromInput)
    try invocation.exclude(.refreshTokenFromInput, .username)
    self.invocation = invocation
    account = invocation.account ?? ""
  }

  func run(json: Bool) throws -> Int32 {
    try Call.perform(try operation(), json: json) { reply in
      let subject = reply.subject.map { " as \($0)" } ?? ""
      Output.note("signed in to \(reply.account)\(subject)\(reply.remembered ? "" : ", until keyrackd stops")")
      for warning in reply.warnings { Output.warning(warning.message) }
    }
  }

  private func operation() throws -> LoginOperation {
    let remember = invocation.has(.noRemember) ? false : nil
    let force = invocation.has(.force) ? true : nil
    if invocation.has(.refreshTokenFromInput) {
      let token = try StandardInput.line("refresh token", longest: StandardInput.longestToken)
      return LoginOperation(
        account: account, method: .refreshToken, refreshToken: token, remember: remember, force: force)
    }
    let (username, password) = try credentials()
    return LoginOperation(
      account: account, method: .password, username: username, password: password, remember: remember, force: force)
  }

  private func credentials() throws -> (username: String, password: Secret) {
    let name = invocation[.username]
    if invocation.has(.passwordFromInput) {
      guard let name else {
        throw CommandFailure.usage("--username: needed where the password comes from standard input", of: .login)
      }
      return (name, try StandardInput.line("password", longest: Self.longestPassword))
    }
    // Nobody should type a password for a daemon that is not there.
    _ = try Client()
    let terminal = try Terminal()
    let username = try name ?? ask(terminal, "username", showing: true)
    return (username, Secret(try answer(terminal, "password", showing: false)))
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
