import FoundationEssentials
import Testing

/// What libFuzzer is started with, and what it has found: `Corpus/TARGET/`. Each file is an input.
@Suite(.timeLimit(.minutes(1))) struct CorpusTests {
  private static let corpus = #filePath.replacing("CorpusTests.swift", with: "Corpus")

  @Test(arguments: FuzzTarget.allCases) func whatHoldsForAllInputsHoldsForTheseFiles(target: FuzzTarget) throws {
    let directory = "\(Self.corpus)/\(target)"
    let names = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    #expect(!names.isEmpty)
    for name in names {
      let input = try Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(name)"))
      #expect(throws: Never.self, "\(target)/\(name)") { try target.run(Array(input)) }
    }
  }

  @Test(arguments: FuzzTarget.allCases) func noInputAtAllIsOneToo(target: FuzzTarget) throws { try target.run([]) }
}
