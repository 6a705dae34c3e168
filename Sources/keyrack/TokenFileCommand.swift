import KeyrackProtocol

/// `keyrack token-file`: a file that has a token as long as there is one.
struct TokenFileCommand {
  private let operation: TokenOperation
  private let file: TokenFile
  private let isOnce: Bool

  init(_ invocation: Invocation) throws(CommandFailure) {
    operation = try invocation.tokenOperation()
    file = try TokenFile(path: invocation.operands[1], anywhere: invocation.has(.anyFilesystem))
    isOnce = invocation.has(.once)
  }

  func run() throws -> Int32 {
    if isOnce {
      try file.write(operation.token().token.bytes)
      return 0
    }
    let kept = KeptTokenFile(file)
    kept.endWithSignals()
    defer { kept.remove() }
    var keeper = TokenFileKeeper(operation, kept)
    while true { try keeper.keep() }
  }
}
