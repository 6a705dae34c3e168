/// What came of asking a provider for something that needs no credentials, for `check`.
package struct ProviderFinding: Sendable, Equatable {
  /// For people: what it has answered.
  package let outcome: Result<String, RequestFailure>
  /// What time it was there, in Unix seconds; nil where it did not say.
  package let date: Int?

  package init(_ outcome: Result<String, RequestFailure>, date: Int? = nil) {
    self.outcome = outcome
    self.date = date
  }
}
