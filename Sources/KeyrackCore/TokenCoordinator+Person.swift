import KeyrackProtocol

extension TokenCoordinator {
  /// Keeps who it is that a browser's answer tells of, before the code is spent and anything else can fail: Apple says it
  /// once, and never again for this account.
  func keepPerson(in response: AuthorizationResponse, of name: String) async {
    guard let user = response.user, let person = Person(postedByApple: user.bytes) else { return }
    slots[name]?.person = person
    do throws(StoreError) {
      try await observed { () async throws(StoreError) in try await persons.keep(person, of: name) }
    } catch {
      report(
        Event(.keyringFailed, "the name that the provider tells only once is in memory alone", account: name))
    }
  }

  /// Looks it up for a provider that tells it once.
  func findPerson(of account: Account) async {
    guard case .oauth(let oauth) = account.provider.kind, case .apple = oauth.clientAuthentication,
      slots[account.name]?.person == nil
    else { return }
    let person = try? await persons.person(of: account.name)
    if slots[account.name]?.person == nil { slots[account.name]?.person = person ?? nil }
  }
}
