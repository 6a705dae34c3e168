import KeyrackProtocol

/// A sign-in under way and whoever waits for it.
struct PendingSignIn {
  /// The provider has granted it: it can no longer be canceled.
  var isCommitted = false
  let attempt: LoginAttempt
  let task: Task<Void, Never>
  private(set) var clients: [LoginClient]
  /// What was asked of the person.
  private(set) var event: LoginEvent?
  /// For the browser's way back.
  var authorization: PendingAuthorization?

  init(attempt: LoginAttempt, task: Task<Void, Never>, client: LoginClient) {
    self.attempt = attempt
    self.task = task
    clients = [client]
  }

  mutating func join(_ client: LoginClient) {
    clients.append(client)
    if let event { client.notify(event) }
  }

  mutating func announce(_ event: LoginEvent) {
    self.event = event
    for client in clients { client.notify(event) }
  }
}

/// A `login` that waits.
struct LoginClient {
  let continuation: CheckedContinuation<Result<LoginOperation.Reply, ReplyError>, Never>
  let notify: @Sendable (LoginEvent) -> Void
}

/// An authorization request whose response has not come yet, or has come and is being made a session of.
struct PendingAuthorization {
  let request: AuthorizationRequest
  /// Resumed with nil where none came in time.
  var continuation: CheckedContinuation<AuthorizationResponse?, Never>?
}
