package import KeyrackProtocol

/// What the configuration file says, checked. A value; reading it is the business of the edge.
package struct Configuration: Sendable, Equatable {
  package var providers: [String: Provider]
  package var accounts: [String: Account]
  /// The presets and the configured ones, by name.
  package var descriptions: [ProviderDescription] = []
  /// A PEM file of the certificate authorities to trust instead of the system's, where nothing else is said of a provider.
  package var caFile: CAFile?
  /// Which account serves which programs where.
  package var uses: [UseMapping] = []
  package var notices = NoticeSettings()
  package var storage = Storage.keyring

  /// Where sessions and secrets are kept.
  package enum Storage: String, Sendable, CaseIterable { case keyring, memory }

  package init(providers: [String: Provider] = [:], accounts: [String: Account] = [:]) {
    self.providers = providers
    self.accounts = accounts
  }
}

/// A name that the user chose, bound to a provider.
package struct Account: Sendable, Equatable {
  /// 1 to 64 characters of `A-Z a-z 0-9 . _ @ + -`, so that comparing it is comparing bytes.
  package let name: String
  package let provider: Provider
  /// What is asked for at sign-in.
  package let scopes: [String]
  package let policy: AccessPolicy

  package init(name: String, provider: Provider, scopes: [String] = [], policy: AccessPolicy = .standard) {
    self.name = name
    self.provider = provider
    self.scopes = scopes
    self.policy = policy
  }

  /// The same with the endpoints that discovery has found, where the provider has none of its own.
  package func completed(by found: Endpoints?) -> Account {
    guard let found else { return self }
    return Account(name: name, provider: provider.completed(by: found), scopes: scopes, policy: policy)
  }

  /// Whether a name can be one of an account.
  package static func isValid(name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "._@+-".utf8.contains(byte)
        }
      }
  }
}

/// How to talk to one identity provider. Data, not code.
package struct Provider: Sendable, Equatable {
  package let name: String
  package let kind: Kind
  /// Of the endpoint that refreshes; what is known of its health is known of this host.
  package let host: String
  /// A PEM file of the certificate authorities to trust instead of the system's.
  package let caFile: CAFile?
  package let habits: ProviderHabits

  package enum Kind: Sendable, Equatable {
    case oauth(OAuth)
    case json(JSONLogin)
  }

  /// OAuth 2.0; endpoints by their names in RFC 8414.
  package struct OAuth: Sendable, Equatable {
    package var issuer: String?
    package var clientID: String
    fileprivate var configured: Endpoints
    /// What discovery has told, for the gaps.
    fileprivate var found: Endpoints?
    package var discovery = Discovery.none
    package var clientAuthentication = ClientAuthentication.none
    /// Prints the client's secret, or its private key; run by the shell. Nil: it is in the keyring.
    package var secretCommand: String?
    /// Where the browser is sent back to, `{port}` being the port that was free. Nil: the usual one.
    package var redirectURI: String?
    /// The ports that may stand for `{port}`; none: any.
    package var redirectPorts: [UInt16] = []
    /// Whether the resource owner password grant (RFC 6749, section 4.3) may be used.
    package var allowsPasswordGrant: Bool

    /// Those of the configuration, and where it has none what discovery has told.
    package var endpoints: Endpoints {
      get { found.map(configured.completed) ?? configured }
      set { configured = newValue }
    }

    package init(
      issuer: String? = nil, clientID: String, authorizationEndpoint: String? = nil, tokenEndpoint: String? = nil,
      revocationEndpoint: String? = nil, allowsPasswordGrant: Bool = false
    ) {
      self.issuer = issuer
      self.clientID = clientID
      configured = Endpoints(authorization: authorizationEndpoint, token: tokenEndpoint, revocation: revocationEndpoint)
      self.allowsPasswordGrant = allowsPasswordGrant
    }
  }

  /// How the endpoints of an issuer are found.
  package enum Discovery: String, Sendable, Equatable, CaseIterable {
    /// Not at all: they are configured.
    case none
    /// OpenID Connect Discovery, section 4: `ISSUER/.well-known/openid-configuration`.
    case oidc
    /// RFC 8414, section 3: `/.well-known/oauth-authorization-server` between host and path.
    case rfc8414
  }

  /// A first-party login API that takes and answers JSON.
  package struct JSONLogin: Sendable, Equatable {
    package var loginURL: String
    package var refreshURL: String?
    package var logoutURL: String?
    package var usernameMember = "email"
    package var passwordMember = "password"
    /// The members that an answer may carry its tokens in, the first that is there wins.
    package var accessTokenMembers = ["access_token", "accessToken", "token"]
    package var refreshTokenMembers = ["refresh_token", "refreshToken"]
    package var expiresInMembers = ["expires_in", "expiresIn"]

    package init(loginURL: String, refreshURL: String? = nil, logoutURL: String? = nil) {
      self.loginURL = loginURL
      self.refreshURL = refreshURL
      self.logoutURL = logoutURL
    }
  }

  /// `host`: with its port; nil for one of its own.
  package init(
    name: String, kind: Kind, host: String? = nil, caFile: CAFile? = nil, habits: ProviderHabits = ProviderHabits()
  ) {
    self.name = name
    self.kind = kind
    self.host = host ?? name
    self.caFile = caFile
    self.habits = habits
  }

  /// Nil where it has none that are called so.
  package var endpoints: Endpoints? {
    guard case .oauth(let oauth) = kind else { return nil }
    return oauth.endpoints
  }

  /// The same with the endpoints that discovery has found, where it has none of its own.
  package func completed(by found: Endpoints?) -> Provider {
    guard let found, case .oauth(var oauth) = kind else { return self }
    oauth.found = found
    return Provider(name: name, kind: .oauth(oauth), host: host, caFile: caFile, habits: habits)
  }

  /// Whom a token of this provider is for. A session is good only for as long as this stays the same.
  package var audience: Audience {
    switch kind {
    case .oauth(let oauth):
      // Where the issuer is asked for its endpoints, it vouches for them.
      Audience(
        issuer: oauth.issuer, endpoint: oauth.configured.token ?? oauth.issuer ?? "",
        authorizationEndpoint: oauth.configured.authorization, refreshEndpoint: habits.refreshEndpoint,
        clientID: oauth.clientID)
    case .json(let json):
      Audience(issuer: nil, endpoint: json.loginURL, clientID: nil)
    }
  }
}

/// The fields of a provider that decide whom its tokens are for.
package struct Audience: Sendable, Equatable, Decodable, JSONObject {
  package let issuer: String?
  /// The token endpoint, or the URL of a JSON login.
  package let endpoint: String
  /// Where it is another one: the refresh token of a session goes to no URL that its sign-in did not know of.
  package let refreshEndpoint: String?
  package let clientID: String?
  /// Where the person signed in.
  package private(set) var authorizationEndpoint: String?

  /// Whether a session of that audience is still one of this. One that came without a browser does not care where
  /// browsers are sent now.
  package func accepts(_ session: Audience) -> Bool {
    var own = self
    if session.authorizationEndpoint == nil { own.authorizationEndpoint = nil }
    return own == session
  }

  package init(
    issuer: String?, endpoint: String, authorizationEndpoint: String? = nil, refreshEndpoint: String? = nil,
    clientID: String?
  ) {
    self.issuer = issuer
    self.endpoint = endpoint
    self.authorizationEndpoint = authorizationEndpoint
    self.refreshEndpoint = refreshEndpoint
    self.clientID = clientID
  }

  package func write(to object: inout JSONObjectWriter) {
    object.member("issuer", issuer)
    object.member("endpoint", endpoint)
    object.member("refreshEndpoint", refreshEndpoint)
    object.member("clientID", clientID)
    object.member("authorizationEndpoint", authorizationEndpoint)
  }
}
