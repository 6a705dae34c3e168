import KeyrackProtocol

/// Asks an issuer, by way of the daemon, what it says of itself.
struct IssuerInquiry {
  private let issuer: String
  private let forgivesSlash: Bool

  /// Issuers are compared byte for byte; programs that add or drop the slash at the end are forgiven where asked for.
  init(_ issuer: String, forgivesSlash: Bool = false) {
    self.issuer = issuer
    self.forgivesSlash = forgivesSlash
  }

  func reply() throws -> DiscoverOperation.Reply {
    do { return try Call.reply(to: DiscoverOperation(issuer: issuer)).body } catch let refusal as Call.Refusal {
      guard forgivesSlash, refusal.error.code == .providerError else { throw refusal }
      let other = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer + "/"
      guard let reply = try? Call.reply(to: DiscoverOperation(issuer: other)).body else { throw refusal }
      return reply
    }
  }
}
