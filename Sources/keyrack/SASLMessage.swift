/// The initial response of a SASL mechanism that carries a token.
struct SASLMessage {
  enum Mechanism: String, CaseIterable {
    /// Google's and Microsoft's, older than the RFC and wider spread.
    case xoauth2
    /// RFC 7628.
    case oauthbearer

    static let usual = xoauth2
  }

  let mechanism: Mechanism
  let user: String
  let host: String?
  let port: Int?

  /// Whether it can stand in a message, whose parts end with a control character.
  static func isValid(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }

  func text(with token: BearerToken) -> [UInt8] {
    let parts =
      switch mechanism {
      case .xoauth2: ["user=\(user)"]
      case .oauthbearer: [greeting, host.map { "host=\($0)" }, port.map { "port=\($0)" }].compactMap(\.self)
      }
    let start = (parts + ["auth=Bearer "]).joined(separator: "\u{1}")
    return Array(start.utf8) + token.bytes + [1, 1]
  }

  /// The header of RFC 5801, section 4: no channel binding, and a name in which `,` and `=` are escaped.
  private var greeting: String {
    "n,a=\(user.replacing("=", with: "=3D").replacing(",", with: "=2C")),"
  }
}
