/// Tries out what sessions are kept in, for `check`. Asks nobody.
package protocol StoreProbe: Sendable {
  /// Whether the session bus answers.
  func probeBus() async throws(StoreError)
  /// Stores something, reads it and removes it again.
  func probe() async throws(StoreError)
}
