import KeyrackCore
import KeyrackProtocol

/// Reads a group `[use git URL]`, `[use git URL USERNAME]` or `[use docker SERVER]`.
struct ConfigurationUseReader {
  private static let keys = ["account", "username"]
  private static let forms = "a group is [use git URL], [use git URL USERNAME] or [use docker SERVER]"

  let group: ConfigurationGroup
  let accounts: [String: Account]

  func mapping() throws(ConfigurationError) -> UseMapping {
    let words = group.scan.name.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let use = try use(of: words)
    try group.requireKeys(in: Self.keys, of: "[use]")
    let place = try place(words[2], for: use)
    let user = try user(words.count > 3 ? words[3] : nil, of: use)
    return UseMapping(use: use, place: place, url: words[2], account: try account(), user: user)
  }

  private func use(of words: [String]) throws(ConfigurationError) -> ResolveOperation.Use {
    guard words.count > 1, !words[1].isEmpty else { throw group.failure("not a whole group", hint: Self.forms) }
    guard let use = ResolveOperation.Use(rawValue: words[1]) else {
      let known = ResolveOperation.Use.allCases.map(\.rawValue).joined(separator: ", ")
      throw group.failure("\"\(words[1])\" is not one of \(known)", hint: Self.forms)
    }
    let longest = use == .git ? 4 : 3
    guard (3...longest).contains(words.count), !words.contains("") else {
      throw group.failure(words.count < 3 ? "a group without a URL" : "too many words or spaces", hint: Self.forms)
    }
    return use
  }

  private func place(_ url: String, for use: ResolveOperation.Use) throws(ConfigurationError) -> WebPlace {
    do { return try WebPlace(url, for: use) } catch {
      let example = use == .git ? "https://git.example.org" : "registry.example.org"
      throw group.failure(error.message, hint: error.message == "not a URL" ? "as in \(example)" : error.hint)
    }
  }

  private func account() throws(ConfigurationError) -> String {
    let name = try group.required("account", hint: "account=NAME, for a group [account NAME]")
    // Whatever Swift takes for the same name, it is not as long.
    if let account = accounts[name], account.name.utf8.count == name.utf8.count { return account.name }
    let known = accounts.keys.sorted().joined(separator: ", ")
    throw group.failure(
      "account", "there is no group [account \(name)]",
      hint: "write that group" + (known.isEmpty ? "" : ", or use one of \(known)"))
  }

  private func user(_ only: String?, of use: ResolveOperation.Use) throws(ConfigurationError) -> UseMapping.User {
    let usual = try group.string("username")
    if let only {
      guard usual == nil else {
        throw group.failure("username", "the group names the user already", hint: "remove the line")
      }
      guard Self.isUsername(only) else { throw group.failure("not a user name", hint: Self.userHint) }
      return .only(only)
    }
    guard let usual else { return .anybody }
    guard Self.isUsername(usual) else { throw group.failure("username", "not a user name", hint: Self.userHint) }
    if use == .docker, usual == "<token>" {
      throw group.failure(
        "username", "with this name docker takes the token for a refresh token",
        hint: "write the name that the registry documents, or remove the line")
    }
    return .usually(usual)
  }

  private static let userHint = "a user name has no colon and no control character"

  /// RFC 7617, section 2.
  private static func isUsername(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ":") }
  }
}

extension UseMapping {
  /// Whether no request could tell the two apart.
  func isSame(as other: UseMapping) -> Bool { use == other.use && place == other.place && onlyUser == other.onlyUser }

  private var onlyUser: [UInt8]? {
    if case .only(let name) = user { Array(name.utf8) } else { nil }
  }
}
