import TestSupport
import Testing

/// A keyring that misbehaves at each call of a refresh in turn.
@Suite(.timeLimit(.minutes(3))) struct KeyringMatrixTests {
  @Test func aKeyringThatMisbehavesAtAnyCallOfARefreshCostsNoSession() async throws {
    let rows = try await KeyringMatrixRow.all()
    // Daemons that wait for a deadline need no processor, so that many can do it side by side; the longest waits first.
    let waiting = rows.indices.filter { rows[$0].wait > 0 }.sorted { rows[$0].wait > rows[$1].wait }
    async let slow = run(waiting.map { ($0, rows[$0]) }, atATime: 20)
    async let quick = run(rows.indices.filter { rows[$0].wait == 0 }.map { ($0, rows[$0]) }, atATime: 3)
    let outcomes = await slow.merging(quick) { $1 }
    print(KeyringMatrixRow.heading)
    for (number, row) in rows.enumerated() {
      let outcome = try #require(outcomes[number])
      print(row.line(outcome))
      #expect(outcome.problems.isEmpty, "\(row.line(outcome))")
    }
  }

  /// Runs rows, so many at a time. The outcomes have the numbers of their rows.
  private func run(
    _ rows: [(number: Int, row: KeyringMatrixRow)], atATime width: Int
  ) async -> [Int: KeyringMatrixRow.Outcome] {
    await withTaskGroup(of: (Int, KeyringMatrixRow.Outcome).self) { group in
      var outcomes: [Int: KeyringMatrixRow.Outcome] = [:]
      for (index, (number, row)) in rows.enumerated() {
        if index >= width, let (number, outcome) = await group.next() { outcomes[number] = outcome }
        group.addTask { (number, await row.run()) }
      }
      for await (number, outcome) in group { outcomes[number] = outcome }
      return outcomes
    }
  }
}
