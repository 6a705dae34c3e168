package import KeyrackProtocol

/// One sign-in, from the request to its outcome. At most one is pending for an account.
///
/// Identity decides: an outcome counts only while its number is the one of the pending attempt.
package struct LoginAttempt: Sendable, Equatable {
  package let number: Int
  package let method: LoginOperation.Method
  package let remember: Bool
  /// Unix seconds.
  package let since: Int

  package init(number: Int, method: LoginOperation.Method, remember: Bool, since: Int) {
    self.number = number
    self.method = method
    self.remember = remember
    self.since = since
  }

  /// What a sign-in sends. Holds secrets, and is let go as soon as they are sent.
  package enum Credentials: Sendable, Equatable {
    case password(username: String, Secret)
    case refreshToken(Secret)
  }

  /// The credentials in a request. Throws `bad_request` or `config_error`, saying what is missing.
  package static func credentials(
    of request: LoginOperation, for account: Account
  ) throws(ReplyError) -> Credentials {
    switch try method(of: request, for: account) {
    case .password:
      try refuse(request.refreshToken != nil, "refresh_token: does not belong to method password")
      guard let username = request.username, !username.isEmpty else {
        throw ReplyError(.badRequest, "username: missing")
      }
      guard let password = request.password, !password.isEmpty else {
        throw ReplyError(.badRequest, "password: missing")
      }
      return .password(username: username, password)
    case .refreshToken:
      try refuse(request.password != nil, "password: does not belong to method refresh_token")
      try refuse(request.username != nil, "username: does not belong to method refresh_token")
      guard let token = request.refreshToken, !token.isEmpty else {
        throw ReplyError(.badRequest, "refresh_token: missing")
      }
      return .refreshToken(token)
    case .browser, .device, .paste:
      throw ReplyError(
        .badRequest, "method: this version signs in with password or refresh_token", hint: "use one of these")
    }
  }

  /// The method of a request, or the provider's own.
  package static func method(
    of request: LoginOperation, for account: Account
  ) throws(ReplyError) -> LoginOperation.Method {
    let method = request.method ?? (request.refreshToken == nil ? .password : .refreshToken)
    switch (method, account.provider.kind) {
    case (.password, .oauth(let oauth)) where !oauth.allowsPasswordGrant:
      throw ReplyError(
        .configError, "\(account.name): provider \(account.provider.name) does not allow the password grant",
        hint: "set password_grant=true in [provider \(account.provider.name)] if the provider offers it")
    case (.refreshToken, .json(let json)) where json.refreshURL == nil:
      throw ReplyError(
        .configError, "\(account.name): provider \(account.provider.name) has no refresh_url",
        hint: "set refresh_url in [provider \(account.provider.name)]")
    default: return method
    }
  }

  private static func refuse(_ condition: Bool, _ message: String) throws(ReplyError) {
    if condition { throw ReplyError(.badRequest, message) }
  }
}
