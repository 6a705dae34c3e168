import KeyrackCore

/// Reads from a group `[provider NAME]` how the provider differs from others.
struct ConfigurationHabitsReader {
  /// Of every kind of provider.
  static let commonKeys = [
    "rotation", "rotation_kills_access_token", "replay_ok", "default_expires_in", "expires_in_unit",
    "min_refresh_interval", "max_concurrency", "token_path", "error_classes", "hints",
  ]
  static let oauthKeys = [
    "refresh_endpoint", "token_body", "token_params", "refresh_params", "scope_separator", "scope_on_refresh",
    "revocation", "revocation_cascades", "revoke_on_relogin", "authorization_params", "login_hint_param", "par",
    "device_flow",
  ]

  /// A year: however long a provider means.
  private static let longest = 31_536_000

  let group: ConfigurationGroup

  /// Keys that are not there leave the default.
  func habits(of kind: Provider.Kind) throws(ConfigurationError) -> ProviderHabits {
    var habits = ProviderHabits()
    try readTimes(&habits)
    try readAnswers(&habits)
    if case .oauth(let oauth) = kind {
      try readRequests(&habits)
      try readAuthorization(&habits)
      try readRevocation(&habits, oauth)
    }
    return habits
  }

  private func readTimes(_ habits: inout ProviderHabits) throws(ConfigurationError) {
    if let rotation = try rotation() { habits.rotation = rotation }
    if let kills = try group.boolean("rotation_kills_access_token") { habits.rotationKillsAccessToken = kills }
    if let isHarmless = try group.boolean("replay_ok") { habits.isReplayHarmless = isHarmless }
    if let seconds = try group.number("default_expires_in", in: 1...Self.longest) {
      habits.defaultLifetime = .seconds(seconds)
    }
    if let seconds = try group.number("min_refresh_interval", in: 0...Self.longest) {
      habits.minimumRefreshInterval = .seconds(seconds)
    }
    if let count = try group.number("max_concurrency", in: 1...16) { habits.maximumConcurrency = count }
    if let unit = try group.choice("expires_in_unit", ["seconds", "milliseconds"]) {
      habits.expiresInUnit = unit == "seconds" ? .seconds(1) : .milliseconds(1)
    }
  }

  private func rotation() throws(ConfigurationError) -> ProviderHabits.Rotation? {
    guard let value = try group.string("rotation") else { return nil }
    switch value {
    case "none": return ProviderHabits.Rotation.none
    case "rotate": return .rotate
    default:
      guard value.hasPrefix("grace:"),
        let seconds = ConfigurationGroup.number(value.dropFirst("grace:".count), in: 1...Self.longest)
      else {
        throw group.failure(
          "rotation", "\"\(value)\" is not one of none, rotate, grace:SECONDS",
          hint: "write what becomes of a refresh token that was used, as in rotation=grace:30")
      }
      return .grace(.seconds(seconds))
    }
  }

  private func readAnswers(_ habits: inout ProviderHabits) throws(ConfigurationError) {
    if let path = try group.string("token_path") {
      habits.tokenPath = path.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
      guard habits.tokenPath.count <= 8, habits.tokenPath.allSatisfy({ !$0.isEmpty }) else {
        throw group.failure(
          "token_path", "\"\(path)\" is not 1 to 8 names with a dot between them",
          hint: "name the members that lead to the object with the tokens, as in token_path=data.tokens")
      }
    }
    for (code, name) in try group.pairs("error_classes", example: "token_gone=revoked") {
      let names = ProviderHabits.ErrorClass.allCases.map(\.rawValue)
      guard let meaning = ProviderHabits.ErrorClass(rawValue: name) else {
        throw group.failure(
          "error_classes", "\"\(name)\" is not one of \(names.joined(separator: ", "))",
          hint: "write code=class, as in error_classes=token_gone=revoked;busy=transient")
      }
      habits.errorClasses[code] = meaning
    }
    for (code, text) in try group.pairs("hints", example: "token_gone=ask the help desk") {
      guard text.count <= OneLine.maximumCount, OneLine.text(text) == text else {
        throw group.failure(
          "hints", "the text for \"\(code)\" is not one line of at most \(OneLine.maximumCount) characters",
          hint: "shorten it")
      }
      habits.hints[code] = text
    }
  }

  private func readRequests(_ habits: inout ProviderHabits) throws(ConfigurationError) {
    habits.refreshEndpoint = try group.endpoint("refresh_endpoint", allowsQuery: true)
    if let body = try group.choice("token_body", ProviderHabits.Body.allCases.map(\.rawValue)) {
      habits.tokenBody = ProviderHabits.Body(rawValue: body) ?? habits.tokenBody
    }
    habits.tokenParameters = try group.parameters("token_params", reserved: ConfigurationGroup.ofTokens)
    habits.refreshParameters = try group.parameters("refresh_params", reserved: ConfigurationGroup.ofTokens)
    if let sends = try group.boolean("scope_on_refresh") { habits.sendsScopeOnRefresh = sends }
    if let separator = try group.string("scope_separator") {
      guard separator.utf8.count == 1, separator.utf8.allSatisfy({ ",+;|:/&".utf8.contains($0) }) else {
        throw group.failure(
          "scope_separator", "\"\(separator)\" is not one of , + ; | : / &",
          hint: "write the character, or remove the line for a space")
      }
      habits.scopeSeparator = separator
    }
  }

  private func readAuthorization(_ habits: inout ProviderHabits) throws(ConfigurationError) {
    if let name = try group.string("login_hint_param") {
      guard name.utf8.allSatisfy(ConfigurationGroup.isNameCharacter) else {
        throw group.failure(
          "login_hint_param", "\"\(name)\" is not the name of a parameter",
          hint: "a name has the characters A-Z a-z 0-9 . _ -")
      }
      habits.loginHintParameter = name
    }
    habits.authorizationParameters = try group.parameters(
      "authorization_params", example: "access_type=offline",
      reserved: ConfigurationGroup.ofAuthorization.union([habits.loginHintParameter]))
    if let push = try group.choice("par", ProviderHabits.PushedAuthorization.allCases.map(\.rawValue)) {
      habits.pushedAuthorization = ProviderHabits.PushedAuthorization(rawValue: push) ?? habits.pushedAuthorization
    }
    if let allows = try group.boolean("device_flow") { habits.allowsDeviceGrant = allows }
  }

  private func readRevocation(
    _ habits: inout ProviderHabits, _ oauth: Provider.OAuth
  ) throws(ConfigurationError) {
    if let cascades = try group.boolean("revocation_cascades") { habits.revocationCascades = cascades }
    if let revokes = try group.boolean("revoke_on_relogin") { habits.revokesReplaced = revokes }
    guard let value = try group.choice("revocation", ProviderHabits.Revocation.allCases.map(\.rawValue)),
      let revocation = ProviderHabits.Revocation(rawValue: value)
    else { return }
    if revocation == .endpoint, oauth.endpoints.revocation == nil, oauth.discovery == .none {
      throw group.failure(
        "revocation", "there is no revocation_endpoint",
        hint: "write revocation_endpoint=https://..., or revocation=none")
    }
    // GitHub's endpoint takes the client's secret by Basic authentication, however other requests prove who asks.
    if revocation == .github, ![.basic, .post].contains(oauth.clientAuthentication) {
      throw group.failure(
        "revocation", "\"github\" needs the client's secret",
        hint: "write token_endpoint_auth_method=client_secret_post, or revocation=none")
    }
    habits.revocation = revocation
  }
}
