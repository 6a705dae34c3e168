import KeyrackClient
import KeyrackProtocol

extension Invocation {
  /// What asks for the token that the options describe.
  func tokenOperation(rejected: Secret? = nil) throws(CommandFailure) -> TokenOperation {
    let range = TokenOperation.maximumSeconds
    return TokenOperation(
      account: account, issuer: self[.issuer], minimumValidity: try seconds(.minimumValidity, in: 0...range),
      rejected: rejected, scope: self[.scope], kind: has(.idToken) ? .id : nil,
      timeout: try seconds(.timeout, in: 1...range))
  }
}

extension TokenOperation {
  /// The token for another program. Warns where it is not good for long.
  func token() throws -> Reply {
    let reply = try Client().call(self)
    reply.warnIfShort()
    return reply
  }
}

extension TokenOperation.Reply {
  func warnIfShort() {
    if minimumValidityMet { return }
    let left = expiresIn.map { "only \(RelativeTime.length($0))" } ?? "less than was asked"
    Output.warning("\(account): the token could not be refreshed, it is good for \(left)")
  }
}
