import KeyrackProtocol

/// The token file of `mutt_oauth2.py`, decrypted. The client is in it only in newer versions; older ones have it in the
/// script.
struct MuttToken: Decodable {
  private let registration: String
  private let email: String?
  private let refreshToken: Secret?
  private let clientID: String?
  private let clientSecret: Secret?
  private let tenant: String?
  private let redirectURI: String?

  private enum CodingKeys: String, CodingKey {
    case registration, email, tenant
    case refreshToken = "refresh_token"
    case clientID = "client_id"
    case clientSecret = "client_secret"
    case redirectURI = "redirect_uri"
  }

  static func read(_ text: [UInt8]) throws(CommandFailure) -> ImportedAccount {
    let token = try ImportedJSON.decode(Self.self, from: text)
    var account = ImportedAccount(source: .provider(token.provider))
    account.name = token.email?.ifAny
    account.clientID = token.clientID?.ifAny
    account.clientSecret = token.clientSecret?.ifAny
    account.refreshToken = token.refreshToken?.ifAny
    account.settings = LoopbackRedirect.settings(for: [token.redirectURI].compactMap(\.self))
    if token.provider == "microsoft" { account.settings.append(Setting("tenant", token.tenant?.ifAny ?? "common")) }
    return account
  }

  /// The script knows `google` and `microsoft`, the latter with a tenant.
  private var provider: String {
    registration == "microsoft" && tenant == "consumers" ? "microsoft-personal" : registration
  }
}
