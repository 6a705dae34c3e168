import KeyrackProtocol

/// The sign-in to an account that was just added.
struct NewAccountLogin {
  private let account: String
  private let login: LoginCommand?
  /// Whether there is a refresh token that is left unused.
  private let dropsToken: Bool

  /// None with `--no-login`.
  init(_ invocation: Invocation, account: String, refreshToken: Secret? = nil) throws(CommandFailure) {
    self.account = account
    let login = try LoginCommand(invocation, account: account, refreshToken: refreshToken)
    self.login = invocation.has(.noLogin) ? nil : login
    dropsToken = invocation.has(.noLogin) && refreshToken != nil
  }

  func run(after reload: Call.Answered<ReloadOperation.Reply>, json: Bool) throws -> Int32 {
    guard let login else {
      if json { try Output.line(reload.line.bytes) }
      if dropsToken { Output.note("its refresh token was not taken over, as --no-login was given") }
      Output.note("to sign in: keyrack login \(account)")
      return 0
    }
    do {
      let status = try login.run(json: json)
      if status != 0 { sayHow() }
      return status
    } catch {
      sayHow()
      throw error
    }
  }

  private func sayHow() {
    Output.note("\(account) is configured, but not signed in; to try again: keyrack login \(account)")
  }
}
