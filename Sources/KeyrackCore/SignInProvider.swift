package import KeyrackProtocol

/// What a sign-in asks of a provider, but for passwords (``IdentityProvider``). Each call makes few requests and repeats
/// none. An account that is given has all its endpoints: see ``Account/completed(by:)``.
package protocol SignInProvider: Sendable {
  /// Asks the issuer for its metadata, by the document that the provider's `discovery` names. What another issuer says is
  /// refused (RFC 8414, section 3.3).
  func discover(_ provider: Provider) async -> Result<IssuerMetadata, RequestFailure>
  /// The same for an issuer of which nothing is configured yet: OpenID Connect Discovery first, then RFC 8414. `caFile` is
  /// that of ``Configuration/caFile``.
  func discover(issuer: String, caFile: CAFile?) async -> Result<IssuerMetadata, RequestFailure>
  /// Finds out whether it can be reached, and is what the configuration says, without a credential.
  func probe(_ provider: Provider) async -> ProviderFinding
  /// Makes this program a client (RFC 7591): a public one with PKCE where the issuer lets it choose.
  func register(_ registration: ClientRegistration, at issuer: IssuerMetadata, caFile: CAFile?) async
    -> Result<RegisteredClient, RequestFailure>
  /// The URL for the browser, with PKCE S256, and a `state` and a `nonce` of 256 bits. Pushes the request first where the
  /// provider wants that (RFC 9126).
  func authorize(_ wish: AuthorizationWish, account: Account) async -> Result<AuthorizationRequest, RequestFailure>
  /// Spends a code (RFC 6749, section 4.1.3).
  func exchange(_ code: Secret, of request: AuthorizationRequest, account: Account) async -> TokenOutcome
  /// RFC 8628, section 3.1.
  func beginDevice(_ account: Account) async -> Result<DeviceAuthorization, RequestFailure>
  /// RFC 8628, section 3.4.
  func poll(_ device: DeviceAuthorization, account: Account) async -> DeviceOutcome
  /// Who signed in: by the id_token, checked (OpenID Connect Core, section 3.1.3.7), else by the userinfo endpoint. Nil
  /// where the provider says neither.
  func identify(
    _ grant: Grant, at occasion: IdentityOccasion, account: Account
  ) async -> Result<Identity?, RequestFailure>
}

/// What an issuer says of itself (RFC 8414, section 2).
package struct IssuerMetadata: Sendable, Equatable {
  package let issuer: String
  /// Which document it came from.
  package let discovery: Provider.Discovery
  package var endpoints: Endpoints
  package var scopes: [String] = []
  package var grantTypes: [String] = []
  package var authenticationMethods: [String] = []
  /// `code_challenge_methods_supported`; nil where it does not say.
  package var challengeMethods: [String]?

  package init(issuer: String, discovery: Provider.Discovery, endpoints: Endpoints) {
    self.issuer = issuer
    self.discovery = discovery
    self.endpoints = endpoints
  }
}

/// RFC 7591, section 2.
package struct ClientRegistration: Sendable, Equatable {
  package let clientName: String
  package let redirectURIs: [String]

  package init(clientName: String, redirectURIs: [String]) {
    self.clientName = clientName
    self.redirectURIs = redirectURIs
  }
}

/// RFC 7591, section 3.2.1.
package struct RegisteredClient: Sendable, Equatable {
  package let clientID: String
  package let secret: Secret?
  package let authentication: ClientAuthentication
  /// Unix seconds; nil where the secret does not end.
  package let secretExpiresAt: Int?

  package init(clientID: String, secret: Secret?, authentication: ClientAuthentication, secretExpiresAt: Int?) {
    self.clientID = clientID
    self.secret = secret
    self.authentication = authentication
    self.secretExpiresAt = secretExpiresAt
  }
}

/// What an authorization request is to say beside what the account says.
package struct AuthorizationWish: Sendable, Equatable {
  /// Exactly as it is registered.
  package let redirectURI: String
  /// Who is expected to sign in.
  package let loginHint: String?

  package init(redirectURI: String, loginHint: String? = nil) {
    self.redirectURI = redirectURI
    self.loginHint = loginHint
  }
}

/// An authorization request that waits for its response.
package struct AuthorizationRequest: Sendable, Equatable {
  /// For the browser.
  package let url: String
  package let redirectURI: String
  package let state: String
  /// Nil where no id_token was asked for.
  package let nonce: String?
  /// RFC 7636, section 4.1.
  package let verifier: Secret
  /// Of a pushed request: when it is of no use any more.
  package let lifetime: Duration?

  package init(
    url: String, redirectURI: String, state: String, nonce: String?, verifier: Secret, lifetime: Duration? = nil
  ) {
    self.url = url
    self.redirectURI = redirectURI
    self.state = state
    self.nonce = nonce
    self.verifier = verifier
    self.lifetime = lifetime
  }
}

/// RFC 8628, section 3.2.
package struct DeviceAuthorization: Sendable, Equatable {
  package let deviceCode: Secret
  package let userCode: String
  package let verificationURI: String
  /// With the code in it, for a QR code.
  package let verificationURIComplete: String?
  package let lifetime: Duration
  /// Between polls.
  package let interval: Duration

  package init(
    deviceCode: Secret, userCode: String, verificationURI: String, verificationURIComplete: String? = nil,
    lifetime: Duration, interval: Duration = .seconds(5)
  ) {
    self.deviceCode = deviceCode
    self.userCode = userCode
    self.verificationURI = verificationURI
    self.verificationURIComplete = verificationURIComplete
    self.lifetime = lifetime
    self.interval = interval
  }
}

/// What a poll of the device flow found (RFC 8628, section 3.5).
package enum DeviceOutcome: Sendable, Equatable {
  /// `authorization_pending`.
  case pending
  /// `slow_down`, with the interval that is meant where the provider says (GitHub). Nil: 5 seconds more.
  case slowDown(Duration?)
  /// `access_denied`, or what a provider calls it.
  case denied(String)
  /// `expired_token`.
  case expired
  case ended(TokenOutcome)
}

/// When an id_token came, which decides what it has to say.
package enum IdentityOccasion: Sendable, Equatable {
  /// `nonce` is that of the authorization request, nil where there was none.
  case signIn(nonce: String?)
  /// It has to be of the same person (OpenID Connect Core, section 12.2).
  case refresh(subject: String, authTime: Int?)
}

/// Who signed in.
package struct Identity: Sendable, Equatable {
  /// `sub`.
  package let subject: String
  /// Unix seconds: `exp` of the id_token, nil where the userinfo endpoint has told.
  package let idTokenExpiresAt: Int?
  /// Its `auth_time`.
  package let authTime: Int?

  package init(subject: String, idTokenExpiresAt: Int? = nil, authTime: Int? = nil) {
    self.subject = subject
    self.idTokenExpiresAt = idTokenExpiresAt
    self.authTime = authTime
  }
}

/// Why a request that was to bring no token has failed. Messages as those of ``TokenOutcome``.
package enum RequestFailure: Error, Sendable, Equatable {
  /// For good.
  case rejected(Rejection)
  case throttled(String, retryAfter: Duration?)
  /// For now. The hint is for one who can do more than wait.
  case unavailable(String, hint: String? = nil)
}
