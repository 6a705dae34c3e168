import KeyrackCore
import KeyrackProtocol

// The way to a grant.
extension TokenAnswer {
  /// `outer` are the members of the whole answer: an id_token may be there, since it is about no one token.
  func grant(_ members: AnswerMembers, outer: AnswerMembers) -> TokenOutcome {
    let refreshToken = refreshToken(members)
    guard let accessToken = members.text(names.accessToken) else {
      let path = (habits.tokenPath + [names.accessToken[0]]).joined(separator: ".")
      let message = "\(name) answered without \(path)"
      return refreshToken == nil ? nonsense(message) : refused(.answer, message, refreshToken)
    }
    // RFC 6749, appendix A.12; a space would end the token in a header.
    guard accessToken.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      return refused(.answer, "\(name) answered with an access token that is not printable ASCII", refreshToken)
    }
    if let type = members.text(["token_type"]), Self.boundTypes.contains(type.lowercased()) {
      return refused(.answer, "\(name) answered with a token of type \(line(type, members))", refreshToken)
    }
    let lifetime = lifetime(members, names.lifetime)
    var grant = Grant(
      accessToken: Secret(accessToken), lifetime: lifetime, refreshIn: refreshIn(members, lifetime),
      refreshToken: refreshToken, refreshLifetime: refreshLifetime(members), scope: scope(members))
    grant.idToken = (members.text(["id_token"]) ?? outer.text(["id_token"])).map { Secret($0) }
    return .success(grant)
  }

  /// Types of token that are useless without a proof. Whoever says anything else than "Bearer", or nothing, means it all
  /// the same.
  private static let boundTypes: Set = ["dpop", "mac", "pop", "n_a"]
  private static let refreshLifetimes = [
    "refresh_token_expires_in", "refresh_expires_in", "x_refresh_token_expires_in",
  ]

  private func lifetime(_ members: AnswerMembers, _ names: [String]) -> Duration? {
    members.number(names).flatMap { AnswerLifetime.duration($0, unit: habits.expiresInUnit) }
  }

  /// Microsoft's wish, where it is one for a time before the token's end.
  private func refreshIn(_ members: AnswerMembers, _ lifetime: Duration?) -> Duration? {
    guard let lifetime, let refreshIn = self.lifetime(members, ["refresh_in"]) else { return nil }
    return refreshIn > .zero && refreshIn < lifetime ? refreshIn : nil
  }

  private func refreshLifetime(_ members: AnswerMembers) -> Duration? {
    // Keycloak says 0 of one that does not expire.
    if let lifetime = lifetime(members, Self.refreshLifetimes) { return lifetime == .zero ? nil : lifetime }
    return members.number(["refresh_token_expires_at"]).flatMap { AnswerLifetime.duration(until: $0, now: now) }
  }

  private func scope(_ members: AnswerMembers) -> String? {
    let scopes: [String]
    switch members["scope"] {
    case .text(let text): scopes = [text]
    case .texts(let texts): scopes = texts
    case .number, .numbers, .object, .objects, .truth, .null, .other, nil: return nil
    }
    let words = scopes.flatMap { scope in
      scope.split { $0.isWhitespace || $0 == "," || $0 < " " || String($0) == habits.scopeSeparator }
    }
    return words.isEmpty ? nil : words.joined(separator: " ")
  }
}
