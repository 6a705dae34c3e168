package import KeyrackProtocol

extension TokenCoordinator {
  /// Which account serves a place, or all places that have one. Who may not use that account is told the same as where
  /// there is none.
  package func resolve(
    _ request: ResolveOperation, by caller: Caller
  ) -> Result<ResolveOperation.Reply, ReplyError> {
    do throws(ReplyError) {
      guard let url = request.url else { return .success(.init(mappings: try mappings(for: request.use, caller))) }
      let place = source.place(String(decoding: url.bytes, as: UTF8.self), for: request.use)
      let mapping = place.flatMap { uses.first(for: request.use, at: $0, as: request.username) }
      if let mapping, mayUse(mapping.account, caller) {
        try requireConfiguration()
        return .success(.init(account: mapping.account, username: mapping.username))
      }
      try authorize(nil, by: caller)
      try requireConfiguration()
      // For the journal: the person may wonder why that program is not served.
      if let mapping { _ = denied(mapping.account, .notAllowed, caller) }
      return .success(.init(account: nil, username: nil))
    } catch {
      return .failure(error)
    }
  }

  private func mappings(
    for use: ResolveOperation.Use, _ caller: Caller
  ) throws(ReplyError) -> [ResolveOperation.Mapping] {
    let own = uses.filter { $0.use == use && mayUse($0.account, caller) }
    if own.isEmpty { try authorize(nil, by: caller) }
    try requireConfiguration()
    return own.map { .init(url: $0.url, account: $0.account, username: $0.username) }
  }

  private func requireConfiguration() throws(ReplyError) {
    if isStopping { throw .shuttingDown }
    if let configurationError { throw configurationError.reply }
  }
}
