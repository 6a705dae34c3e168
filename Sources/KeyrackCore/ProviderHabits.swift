/// How a provider differs from what most do, and what it does where the standards leave it free. Data, with defaults that
/// lose no session at any provider.
package struct ProviderHabits: Sendable, Equatable {
  /// What becomes of a refresh token that was used.
  package enum Rotation: Sendable, Equatable {
    /// It stays good.
    case none
    /// It is dead, and using it again may end the session (RFC 9700, section 4.14.2).
    case rotate
    /// It stays good for a while.
    case grace(Duration)
  }

  /// How a token endpoint takes its parameters.
  package enum Body: String, Sendable, Equatable, CaseIterable {
    case form, json
  }

  /// How a provider is told that a session has ended.
  package enum Revocation: String, Sendable, Equatable, CaseIterable {
    /// RFC 7009, where the configuration names an endpoint.
    case endpoint
    /// A DELETE of the token at the client, by GitHub's own interface.
    case github
    case none
  }

  /// Whether authorization requests are pushed (RFC 9126).
  package enum PushedAuthorization: String, Sendable, Equatable, CaseIterable {
    case never
    /// Where the provider has an endpoint for it.
    case offered
    case required
  }

  /// What an error code means.
  package enum ErrorClass: String, Sendable, Equatable, CaseIterable {
    /// The refresh token is dead.
    case revoked
    /// The person has to do something in a browser.
    case policy
    /// The provider refuses the client.
    case client
    /// Not processed, to be tried again.
    case transient
    /// The same request will not be answered better.
    case request
  }

  /// A parameter that is sent beside those of the standards, as it is written.
  package struct Parameter: Sendable, Equatable {
    package let name: String
    package let value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  package var rotation = Rotation.rotate
  /// Whether a refresh ends the access tokens that came before.
  package var rotationKillsAccessToken = false
  /// Whether a refresh token of unknown fate may be sent again at once.
  package var isReplayHarmless = false
  /// The lifetime of an access token where the answer does not say, and there is a refresh token.
  package var defaultLifetime = Duration.seconds(600)
  /// What `expires_in` and the other lifetimes in an answer count.
  package var expiresInUnit = Duration.seconds(1)
  /// No refresh more often than that, unless somebody waits for it.
  package var minimumRefreshInterval = Duration.zero
  package var revocation = Revocation.endpoint
  /// Whether a sign-in ends the session that it replaces at the provider, too.
  package var revokesReplaced = true
  /// Sent with an authorization request.
  package var authorizationParameters: [Parameter] = []
  /// What an authorization request calls who is expected to sign in.
  package var loginHintParameter = "login_hint"
  package var pushedAuthorization = PushedAuthorization.offered
  /// Whether the device grant may be used where there is an endpoint for it.
  package var allowsDeviceGrant = true
  /// Whether revoking a refresh token ends its access tokens, too (RFC 7009, section 2.1).
  package var revocationCascades = true
  /// Whether a refresh has to name the scopes of the account.
  package var sendsScopeOnRefresh = false
  package var scopeSeparator = " "
  /// Sent with every request for tokens.
  package var tokenParameters: [Parameter] = []
  /// Sent with a refresh, in place of those above that have the same name.
  package var refreshParameters: [Parameter] = []
  /// Where to refresh, where that is not the token endpoint.
  package var refreshEndpoint: String?
  package var tokenBody = Body.form
  /// The members that lead to the object with the tokens. An answer without them holds its tokens at the top, as Slack's
  /// to a refresh does.
  package var tokenPath: [String] = []
  /// Refreshes in flight at once.
  package var maximumConcurrency = 4
  /// What error codes mean, before what they mean elsewhere.
  package var errorClasses: [String: ErrorClass] = [:]
  /// What to do about error codes, for people. Microsoft's numbers count as codes here: `AADSTS50076`.
  package var hints: [String: String] = [:]

  package init() {}
}
