/// Which tokens were given to whom, and which of them are alive.
struct TokenLedger {
  private var families: [Int: TokenFamily] = [:]
  private var accessTokens: [String: AccessToken] = [:]
  /// Spent ones too: a spent one that comes back ends its family.
  private var familyOfRefreshToken: [String: Int] = [:]

  private struct AccessToken {
    let family: Int
    var end: ContinuousClock.Instant
  }

  enum Refresh {
    case granted(Grant)
    case reuse(TokenFamily)
    case denied
  }

  mutating func signIn(user: String, client: String?, scope: String?, settings: Settings) -> Grant {
    var family = TokenFamily(id: families.count + 1, user: user, client: client, scope: scope)
    let refreshToken = settings.givesRefreshTokens ? Base64URL.random("rt_") : nil
    family.refreshToken = refreshToken
    return grant(family, newRefreshToken: refreshToken, settings)
  }

  mutating func refresh(_ token: String, client: String?, settings: Settings) -> Refresh {
    guard let id = familyOfRefreshToken[token], var family = families[id], family.isAlive, family.client == client
    else { return .denied }
    guard family.refreshToken == token else {
      families[id]?.end = .now
      return .reuse(family)
    }
    guard settings.rotation else { return .granted(grant(family, newRefreshToken: nil, settings)) }
    let next = Base64URL.random("rt_")
    family.refreshToken = next
    return .granted(grant(family, newRefreshToken: next, settings))
  }

  /// Ends a refresh token's family, or an access token alone. Nil if it was dead or never given.
  mutating func revoke(_ token: String) -> TokenFamily? {
    if let access = accessTokens[token] {
      accessTokens[token]?.end = min(access.end, .now)
      return families[access.family]
    }
    guard let id = familyOfRefreshToken[token], let family = families[id], family.isAlive else { return nil }
    families[id]?.end = .now
    return family
  }

  /// The family of an access token that is alive.
  func family(ofAccessToken token: String) -> TokenFamily? {
    guard let access = accessTokens[token], access.end > .now, let family = families[access.family], family.isAlive
    else { return nil }
    return family
  }

  /// Nil for what was never given.
  func fate(ofAccessToken token: String) -> TokenFate? {
    guard let access = accessTokens[token], let family = families[access.family] else { return nil }
    let end = min(access.end, family.end ?? access.end)
    let now = ContinuousClock.now
    return TokenFate(deadFor: end > now ? nil : Int((now - end) / .milliseconds(1)))
  }

  mutating func end(_ family: TokenFamily) { families[family.id]?.end = .now }

  var alive: [LiveToken] {
    let living = families.values.filter(\.isAlive)
    let refresh = living.compactMap { family in
      family.refreshToken.map { LiveToken(token: $0, kind: "refresh", family: family.id, user: family.user) }
    }
    let access = accessTokens.keys.compactMap { token in
      family(ofAccessToken: token).map { LiveToken(token: token, kind: "access", family: $0.id, user: $0.user) }
    }
    return (refresh + access).sorted { ($0.family, $0.kind, $0.token) < ($1.family, $1.kind, $1.token) }
  }

  private mutating func grant(_ family: TokenFamily, newRefreshToken: String?, _ settings: Settings) -> Grant {
    let accessToken = Base64URL.random("at_")
    families[family.id] = family
    accessTokens[accessToken] = AccessToken(family: family.id, end: .now + .seconds(settings.accessLifetime))
    if let newRefreshToken { familyOfRefreshToken[newRefreshToken] = family.id }
    return Grant(
      family: family, accessToken: accessToken, refreshToken: newRefreshToken,
      expiresIn: settings.tellsExpiry ? Int(settings.accessLifetime.rounded(.up)) : nil)
  }
}
