package import KeyrackProtocol

/// One sign-in, from the request to its outcome. At most one is pending for an account.
///
/// Identity decides: an outcome counts only while its number is the one of the pending attempt.
package struct LoginAttempt: Sendable, Equatable {
  /// A person has that long for the browser or the device.
  package static let lifetime = Duration.seconds(600)

  package let number: Int
  /// Not the plan, which may hold a password: the attempt lives until the session is stored.
  package let method: LoginOperation.Method
  package let loginHint: String?
  package let remember: Bool
  /// Whether somebody else than last time may sign in.
  package let force: Bool
  /// Unix seconds.
  package let since: Int

  package init(number: Int, plan: LoginPlan, request: LoginOperation, since: Int) {
    self.number = number
    method = plan.method
    loginHint = plan.loginHint
    remember = request.remember ?? true
    force = request.force ?? false
    self.since = since
  }

  /// Whether another request is for the same, so that one sign-in serves both. One that brings a secret is for itself.
  package func isJoined(by plan: LoginPlan, _ request: LoginOperation) -> Bool {
    switch plan {
    case .browser, .device:
      method == plan.method && loginHint == plan.loginHint && remember == request.remember ?? true
        && force == request.force ?? false
    case .password, .refreshToken, .paste: false
    }
  }
}

/// How a sign-in gets its grant. Holds secrets, and is let go as soon as they are sent.
package enum LoginPlan: Sendable, Equatable {
  case password(username: String, Secret)
  case refreshToken(Secret)
  case browser(loginHint: String?)
  /// The browser is on another machine, and what it ends on comes by ``LoginResponseOperation``.
  case paste(loginHint: String?)
  case device

  package var method: LoginOperation.Method {
    switch self {
    case .password: .password
    case .refreshToken: .refreshToken
    case .browser: .browser
    case .paste: .paste
    case .device: .device
    }
  }

  package var loginHint: String? {
    switch self {
    case .browser(let hint), .paste(let hint): hint
    case .password, .refreshToken, .device: nil
    }
  }

  /// What a request asks for. Throws `bad_request` or `config_error`, saying what is missing.
  package init(_ request: LoginOperation, for account: Account) throws(ReplyError) {
    let method = request.method ?? Self.method(for: request, account.provider)
    if method != .refreshToken { try Self.refuse("refresh_token", request.refreshToken != nil, method) }
    if method != .password { try Self.refuse("password", request.password != nil, method) }
    if method == .refreshToken || method == .device { try Self.refuse("username", request.username != nil, method) }
    try Self.check(method, account)
    switch method {
    case .password:
      self = .password(
        username: try Self.require("username", request.username, \.isEmpty),
        try Self.require("password", request.password, \.isEmpty))
    case .refreshToken: self = .refreshToken(try Self.require("refresh_token", request.refreshToken, \.isEmpty))
    case .browser: self = .browser(loginHint: request.username)
    case .paste: self = .paste(loginHint: request.username)
    case .device: self = .device
    }
  }

  /// What the members of the request say, else the provider's own.
  private static func method(for request: LoginOperation, _ provider: Provider) -> LoginOperation.Method {
    if request.refreshToken != nil { return .refreshToken }
    if request.password != nil { return .password }
    return provider.methods.first ?? .browser
  }

  private static func check(_ method: LoginOperation.Method, _ account: Account) throws(ReplyError) {
    let provider = account.provider
    guard !provider.methods.contains(method) else { return }
    let group = provider.group
    let (problem, hint) =
      switch method {
      case .password:
        (
          "does not allow the password grant", "set password_grant=true in \(group) if the provider offers it"
        )
      case .refreshToken: ("has no refresh_url", "set refresh_url in \(group)")
      case .browser where provider.methods.contains(.paste):
        ("sends browsers to an https page, where nobody listens", "keyrack login \(account.name) --paste")
      case .browser, .paste: ("has no authorization_endpoint", "set it, or issuer, in \(group)")
      case .device: ("has no device_authorization_endpoint", "set it in \(group) if the provider offers it")
      }
    throw ReplyError(.configError, "\(account.name): provider \(provider.displayName) \(problem)", hint: hint)
  }

  private static func refuse(
    _ member: String, _ isThere: Bool, _ method: LoginOperation.Method
  ) throws(ReplyError) {
    if isThere { throw ReplyError(.badRequest, "\(member): does not belong to method \(method.rawValue)") }
  }

  private static func require<Value>(
    _ member: String, _ value: Value?, _ isEmpty: (Value) -> Bool
  ) throws(ReplyError) -> Value {
    if let value, !isEmpty(value) { return value }
    throw ReplyError(.badRequest, "\(member): missing", reason: "credentials_needed")
  }
}
