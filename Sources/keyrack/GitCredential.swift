import KeyrackProtocol

/// What git says of a credential: a line `key=value` for each attribute (git-credential(1)).
struct GitCredential {
  /// Bytes of all lines. Challenges of servers are among them.
  private static let longest = 256 * 1024
  /// What a state of ours begins with.
  static let statePrefix = "keyrack:"

  private var scheme = ""
  private var host = ""
  private var path: [UInt8] = []
  private(set) var username: String?
  /// What it got before, as a password or as what a header had.
  private(set) var secret: Secret?
  private(set) var challenges: [String] = []
  private(set) var capabilities: Set<String> = []
  /// What was answered before, for the same request, and git was told to come back with.
  private var state: String?

  /// From standard input.
  init() throws(CommandFailure) {
    for line in try StandardInput.paragraph(longest: Self.longest) {
      guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else {
        throw CommandFailure(status: 1, "git: a line without =")
      }
      try take(String(decoding: line[..<equals], as: UTF8.self), Array(line[(equals + 1)...]))
    }
  }

  private mutating func take(_ key: String, _ value: [UInt8]) throws(CommandFailure) {
    switch key {
    case "protocol": scheme = try Self.text(value, key)
    case "host": host = try Self.text(value, key)
    case "path":
      try Self.requireLine(value, key)
      path = value
    case "username": username = try Self.text(value, key)
    case "password", "credential": secret = Secret(value)
    case "capability[]": capabilities.insert(String(decoding: value, as: UTF8.self))
    // What a server sends may be anything.
    case "wwwauth[]": challenges.append(String(decoding: value, as: UTF8.self))
    case "state[]":
      let text = String(decoding: value, as: UTF8.self)
      if text.hasPrefix(Self.statePrefix) { state = String(text.dropFirst(Self.statePrefix.count)) }
    // Others are of no use here: a refresh token, for one, is not handed out.
    default: break
    }
  }

  private static func text(_ value: [UInt8], _ key: String) throws(CommandFailure) -> String {
    try requireLine(value, key)
    guard let text = String(validating: value, as: UTF8.self) else {
      throw CommandFailure(status: 1, "git: \(key): not UTF-8")
    }
    return text
  }

  private static func requireLine(_ value: [UInt8], _ key: String) throws(CommandFailure) {
    if value.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
      throw CommandFailure(status: 1, "git: \(key): a control character")
    }
  }

  /// Nil for what is not of the web, and for a host that would be another one in a URL.
  var url: String? {
    guard ["http", "https"].contains(scheme), !host.isEmpty, !host.utf8.contains(where: { "/?#@\\ ".utf8.contains($0) })
    else { return nil }
    return "\(scheme)://\(host)/" + path.reduce(into: "") { $0 += Self.encoded($1) }
  }

  private static func encoded(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      return String(Unicode.Scalar(byte))
    default:
      if "-._~/".utf8.contains(byte) { return String(Unicode.Scalar(byte)) }
      return (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }
  }

  /// Whether the server takes tokens by their own scheme, and git can send them so (git 2.46).
  var takesBearer: Bool {
    capabilities.contains("authtype") && challenges.contains { HTTPChallenges.offer("bearer", $0) }
  }

  /// Of the token that the server has refused, where git asks again in the same request.
  var refusedDigest: String? { state.flatMap { $0.hasPrefix("sha256:") ? $0 : nil } }

  /// Whether the token of that digest came in place of one that was refused as well: then a third does not help.
  func isOfRetry(_ digest: String) -> Bool { state.map { $0 != digest } ?? false }
}
