import KeyrackProtocol

/// What `oidc-gen --print` prints. The fields that it has no value for are empty.
struct OIDCAgentAccount: Decodable {
  private let name: String?
  private let issuer: String
  private let clientID: String
  private let clientSecret: Secret?
  private let refreshToken: Secret?
  private let scope: String?
  private let redirectURIs: [String]?
  private let deviceEndpoint: String?
  /// Whether the person gave the device endpoint, as the issuer does not tell: 0 or 1.
  private let isDeviceEndpointOwn: Int?

  private enum CodingKeys: String, CodingKey {
    case name, scope
    case issuer = "issuer_url"
    case clientID = "client_id"
    case clientSecret = "client_secret"
    case refreshToken = "refresh_token"
    case redirectURIs = "redirect_uris"
    case deviceEndpoint = "device_authorization_endpoint"
    case isDeviceEndpointOwn = "daeSetByUser"
  }

  static func read(_ text: [UInt8]) throws(CommandFailure) -> ImportedAccount {
    try ImportedJSON.decode(Self.self, from: text).account()
  }

  private func account() throws(CommandFailure) -> ImportedAccount {
    var account = ImportedAccount(source: .issuer(issuer))
    account.name = name?.ifAny
    account.clientID = clientID.ifAny
    account.clientSecret = clientSecret?.ifAny
    account.refreshToken = refreshToken?.ifAny
    if let scope = scope?.ifAny { account.scopes = try ScopeList(typed: scope) }
    account.settings = LoopbackRedirect.settings(for: redirectURIs ?? [])
    if isDeviceEndpointOwn == 1, let endpoint = deviceEndpoint?.ifAny {
      account.settings.append(Setting("device_authorization_endpoint", endpoint))
    }
    return account
  }
}
