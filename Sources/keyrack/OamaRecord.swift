import KeyrackProtocol

/// What `oama show` prints of an account, or the record that oama keeps of it. The client is in oama's own
/// configuration, so it is asked for.
struct OamaRecord: Decodable {
  private let email: String?
  private let service: String?
  private let scope: String?
  private let refreshToken: Secret?

  private enum CodingKeys: String, CodingKey {
    case email, service, scope
    case refreshToken = "refresh_token"
  }

  static func read(_ text: [UInt8]) throws(CommandFailure) -> ImportedAccount {
    if let shown = OamaRecord(lines: text) { return try shown.account() }
    return try ImportedJSON.decode(Self.self, from: text).account()
  }

  private func account() throws(CommandFailure) -> ImportedAccount {
    guard let service = service?.ifAny else {
      throw CommandFailure(status: 1, "it does not name its service", hint: ImportFormat.oama.example)
    }
    // A service of the person's own has the name that its provider is given here.
    var account = ImportedAccount(source: .provider(service))
    account.name = email?.ifAny
    account.refreshToken = refreshToken?.ifAny
    if let scope = scope?.ifAny { account.scopes = try ScopeList(typed: scope) }
    return account
  }

  /// Lines `member: value`; nil where the first is none. What is missing has a value that says so.
  private init?(lines text: [UInt8]) {
    guard text.starts(with: "email: ".utf8) else { return nil }
    func value(_ member: String) -> [UInt8]? {
      let prefix = Array("\(member): ".utf8)
      let line = text.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: prefix) }
      return line.map { Array($0.dropFirst(prefix.count)) }.flatMap { $0.starts(with: "error - ".utf8) ? nil : $0 }
    }
    func string(_ member: String) -> String? { value(member).map { String(decoding: $0, as: UTF8.self).trimmed } }
    (email, service, scope) = (string("email"), string("service"), string("scope"))
    refreshToken = value("refresh_token").map { Secret($0) }
  }
}
