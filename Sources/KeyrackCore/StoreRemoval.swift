/// All that Keyrack keeps, whatever kind it is of, for `purge`.
package protocol StoreRemoval: Sendable {
  /// How many items there are.
  func count() async throws(StoreError) -> Int
  /// Removes them. What it has not got to where it throws is still there.
  func removeAll() async throws(StoreError)
}
