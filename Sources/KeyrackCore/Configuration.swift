package import KeyrackProtocol

/// What the configuration file says, checked. A value; reading it is the business of the edge.
package struct Configuration: Sendable, Equatable {
  package var providers: [String: Provider]
  package var accounts: [String: Account]

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

  package init(name: String, provider: Provider, scopes: [String] = []) {
    self.name = name
    self.provider = provider
    self.scopes = scopes
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
  package let caFile: String?
  package let habits: ProviderHabits

  package enum Kind: Sendable, Equatable {
    case oauth(OAuth)
    case json(JSONLogin)
  }

  /// OAuth 2.0; endpoints by their names in RFC 8414.
  package struct OAuth: Sendable, Equatable {
    package var issuer: String?
    package var clientID: String
    package var tokenEndpoint: String
    package var revocationEndpoint: String?
    /// Whether the resource owner password grant (RFC 6749, section 4.3) may be used.
    package var allowsPasswordGrant: Bool

    package init(
      issuer: String? = nil, clientID: String, tokenEndpoint: String, revocationEndpoint: String? = nil,
      allowsPasswordGrant: Bool = false
    ) {
      self.issuer = issuer
      self.clientID = clientID
      self.tokenEndpoint = tokenEndpoint
      self.revocationEndpoint = revocationEndpoint
      self.allowsPasswordGrant = allowsPasswordGrant
    }
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
    name: String, kind: Kind, host: String? = nil, caFile: String? = nil, habits: ProviderHabits = ProviderHabits()
  ) {
    self.name = name
    self.kind = kind
    self.host = host ?? name
    self.caFile = caFile
    self.habits = habits
  }

  /// Whom a token of this provider is for. A session is good only for as long as this stays the same.
  package var audience: Audience {
    switch kind {
    case .oauth(let oauth):
      Audience(
        issuer: oauth.issuer, endpoint: oauth.tokenEndpoint, refreshEndpoint: habits.refreshEndpoint,
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

  package init(issuer: String?, endpoint: String, refreshEndpoint: String? = nil, clientID: String?) {
    self.issuer = issuer
    self.endpoint = endpoint
    self.refreshEndpoint = refreshEndpoint
    self.clientID = clientID
  }

  package func write(to object: inout JSONObjectWriter) {
    object.member("issuer", issuer)
    object.member("endpoint", endpoint)
    object.member("refreshEndpoint", refreshEndpoint)
    object.member("clientID", clientID)
  }
}
