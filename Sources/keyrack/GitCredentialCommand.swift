import KeyrackClient
import KeyrackProtocol

/// `keyrack git-credential`: a credential helper of git (gitcredentials(7)).
struct GitCredentialCommand {
  private enum Action: String { case get, store, erase, capability }

  /// git may need it for as long as it runs: it does not ask again.
  private static let minimumValidity = 300

  /// Nil for one that a later git may have: those are to be passed over.
  private let action: Action?

  init(_ invocation: Invocation) { action = invocation.operands.first.flatMap { Action(rawValue: $0) } }

  func run() throws -> Int32 {
    switch action {
    case .get: try get(GitCredential())
    case .erase: try erase(GitCredential())
    case .capability: try Output.data("version 0\ncapability authtype\ncapability state\n")
    // Nothing is kept here.
    case .store, nil: break
    }
    return 0
  }

  private func get(_ wanted: GitCredential) throws {
    guard let mapping = try mapping(of: wanted), let account = mapping.account else { return }
    do {
      let request = TokenOperation(
        account: account, minimumValidity: Self.minimumValidity, rejected: wanted.refusedDigest.map { Secret($0) })
      let token = try Call.reply(to: request).body
      try Output.line(GitAnswer(token, username: mapping.username, to: wanted).text)
    } catch {
      // The place is ours: neither another helper nor the person has something for it.
      try Output.data("quit=1\n")
      throw error
    }
  }

  /// The server has refused what git got here: the next one is to be another.
  private func erase(_ refused: GitCredential) throws {
    guard let digest = refused.secret.map(TokenDigest.text), !refused.isOfRetry(digest),
      let account = try mapping(of: refused)?.account
    else { return }
    // Where it is not the account's token, nothing comes of it.
    _ = try Call.reply(to: TokenOperation(account: account, minimumValidity: 0, rejected: Secret(digest)))
  }

  private func mapping(of credential: GitCredential) throws -> ResolveOperation.Reply? {
    guard let url = credential.url else { return nil }
    return try Call.reply(to: ResolveOperation(use: .git, url: Secret(url), username: credential.username)).body
  }
}
