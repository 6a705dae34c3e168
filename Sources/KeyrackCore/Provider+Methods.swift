package import KeyrackProtocol

extension Provider {
  /// For people: of one that an account has for itself, the preset that it was made from.
  package var displayName: String { Self.displayName(of: name) }

  /// An issuer of which nothing is configured is its own name.
  package static func displayName(of name: String) -> String {
    name.contains("/") ? name : String(name.prefix { $0 != ":" })
  }

  /// The group of the configuration that it is read from.
  package var group: String {
    let own = name.firstIndex(of: ":").map { name[name.index(after: $0)...] }
    return own.map { "[account \($0)]" } ?? "[provider \(name)]"
  }

  /// How one can sign in, the usual way first. Where the issuer is asked for its endpoints, it may lack one of them.
  package var methods: [LoginOperation.Method] {
    switch kind {
    case .oauth(let oauth):
      oauth.browserMethods(habits) + (oauth.allowsPasswordGrant ? [.password] : []) + [.refreshToken]
    case .json(let json): [.password] + (json.refreshURL == nil ? [] : [.refreshToken])
    }
  }
}

extension Provider.OAuth {
  fileprivate func browserMethods(_ habits: ProviderHabits) -> [LoginOperation.Method] {
    let asks = discovery != .none
    var methods: [LoginOperation.Method] = []
    let hasPage = asks || endpoints.authorization != nil
    if hasPage && redirectsToThisMachine { methods.append(.browser) }
    if habits.allowsDeviceGrant && (asks || endpoints.deviceAuthorization != nil) { methods.append(.device) }
    if hasPage { methods.append(.paste) }
    return methods
  }

  /// Whether a browser can be sent back to this program: no https page can be served here.
  package var redirectsToThisMachine: Bool { redirectURI?.hasPrefix("http://") ?? true }
}
