import KeyrackProtocol

/// `keyrack import`: what another program has, once it has been printed in plain.
struct ImportCommand {
  private static let sizeLimit = 1 << 20

  private let invocation: Invocation
  private let format: ImportFormat
  private let path: String

  init(_ invocation: Invocation) throws(CommandFailure) {
    guard let format = ImportFormat(rawValue: invocation.operands.first ?? "") else {
      let known = ImportFormat.allCases.map(\.rawValue).joined(separator: ", ")
      throw .usage("import: the program is one of \(known)", of: .importAccount)
    }
    self.invocation = invocation
    self.format = format
    path = invocation.operands.last ?? ""
  }

  func run(json: Bool) throws -> Int32 {
    let text = try InputFile(path: path).contents(limit: Self.sizeLimit)
    if let sealed = SealedText(text) { throw sealed.failure(path: path, format: format) }
    let account = try format.account(in: text, named: invocation[.account])
    let draft = try draft(of: account)
    let signIn = try NewAccountLogin(invocation, account: draft.name, refreshToken: account.refreshToken)
    let reload = try AccountInterview(draft).plan().carryOut()
    if account.refreshToken == nil { Output.note("\(format.rawValue) gave no refresh token: you have to sign in anew") }
    return try signIn.run(after: reload, json: json)
  }

  private func draft(of account: ImportedAccount) throws(CommandFailure) -> AccountDraft {
    guard let name = invocation[.account] ?? account.name else {
      throw .usage("--account: needed, as \(format.rawValue) has no name for it", of: .importAccount)
    }
    var draft = try AccountDraft(name: name, source: invocation[.provider].map { .provider($0) } ?? account.source)
    draft.clientID = invocation[.clientID] ?? account.clientID
    draft.secret = account.clientSecret
    draft.scopes = account.scopes
    draft.settings = account.settings
    draft.asksForScopes = false
    draft.forgivesSlash = true
    return draft
  }
}
