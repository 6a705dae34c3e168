import Foundation
import KeyrackProtocol
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct ReadmeTests {
  private let readme: Readme

  init() throws { readme = try Readme() }

  /// The configuration of the README, its providers played by one on this machine.
  private func fixture() async throws -> KeyrackFixture {
    let text = try #require(readme.blocks("ini").first).joined(separator: "\n")
    let fixture = try await KeyrackFixture { provider in
      Self.played(text, by: provider) + "\n"
    }
    try await fixture.provider.set(.init(users: ["alice": "correct horse"]))
    return fixture
  }

  private static func played(_ text: String, by provider: SampleProvider) -> String {
    text.replacing(/https:\/\/(sso|app)\.example\.org/, with: provider.url(""))
  }

  /// With the built programs in PATH, and a `pass` that shows the password.
  private func environment(_ fixture: KeyrackFixture) throws -> [String: String] {
    let folder = "\(fixture.session.path)/bin"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try "#!/bin/sh\necho 'correct horse'\n".write(toFile: "\(folder)/pass", atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(folder)/pass")
    let programs = URL(filePath: Products.path(of: "keyrack")).deletingLastPathComponent().path
    let path = [folder, programs, fixture.daemon.environment["PATH"] ?? "/usr/bin:/bin"].joined(separator: ":")
    return fixture.daemon.environment.merging(["PATH": path]) { $1 }
  }

  @Test func theExamplesAreTrue() async throws {
    let fixture = try await fixture()
    let environment = try environment(fixture)
    let examples = readme.examples
    #expect(examples.count == 22)
    for example in examples {
      switch example {
      case .exchange(let request, let reply):
        let wire = try Wire(fixture.daemon.socket)
        try await wire.send(request + "\n")
        let line = try #require(try await wire.line())
        #expect(
          Readme.shows(Self.played(reply, by: fixture.provider), for: line),
          "\(request)\nshown:    \(reply)\nanswered: \(line)")
      case .command(let command, let output):
        let result = try await Child.run(
          ["/bin/sh", "-c", "exec 2>&1\n\(command)"], environment: environment, within: .seconds(40))
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(
          lines.count == output.count && zip(output, lines).allSatisfy(Readme.shows),
          "\(command)\nshown:   \(output)\nprinted: \(lines)")
      }
    }
  }

  @Test(arguments: [
    ("[account work]\nnonsense=1", ["account"]),
    ("[provider corp]\nnonsense=1", ["provider", "oauth"]),
    ("[provider corp]\nkind=json\nnonsense=1", ["provider", "json"]),
  ])
  func theTableOfKeysIsComplete(_ configuration: String, _ owners: [String]) async throws {
    let session = try await PrivateSession(.withoutBus)
    let daemon = try await KeyrackDaemon(in: session, configuration: "")
    // It takes connections before it has read its configuration, and answers after that.
    _ = try await daemon.call(VersionOperation())
    try daemon.write(configuration: configuration)
    let error = try await daemon.failure(ReloadOperation())
    let list = try #require(error.hint?.firstMatch(of: #/ has (.*)$/#)).1
    let known = Set(list.components(separatedBy: ", "))
    #expect(owners.reduce(into: Set()) { $0.formUnion(readme.keys[$1] ?? []) } == known)
  }

  @Test func theTableOfExitStatusesIsThatOfTheHelp() async throws {
    let help = try await Child.run([Products.path(of: "keyrack"), "--help"], environment: [:]).output
    let statuses = help.matches(of: /\n  ([0-9])  (.*)/)
    #expect(statuses.count == 9)
    for status in statuses { #expect(readme.text.contains("\n| \(status.1) | \(status.2) | ")) }
  }

  @Test func theTableOfErrorCodesIsComplete() throws {
    let table = try #require(readme.text.firstMatch(of: /\n\| code \| \|\n(\|.*\n)+/)).0
    let codes = table.matches(of: /\n(\| (`[a-z_]+`,? )+)\|/).flatMap { row in
      row.1.matches(of: /[a-z_]+/).map { String($0.0) }
    }
    #expect(codes.count == ErrorCode.allCases.count)
    #expect(Set(codes) == Set(ErrorCode.allCases.map(\.rawValue)))
  }

  @Test(arguments: [
    (#"{"ok":true,"a":"x","expires_at":1}"#, #"{"ok":true,"a":"x","expires_at":27}"#, true),
    (#"{"ok":true,"a":"at_…"}"#, #"{"ok":true,"a":"at_yz"}"#, true),
    (#"{"ok":true,"a":"at_…"}"#, #"{"ok":true,"a":"rt_yz"}"#, false),
    (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, false),
    (#"{"a":1}"#, #"{"a":2}"#, false),
    (#"{"a_at":1}"#, #"{"a_at":null}"#, false),
    (#"{"a":1}"#, #"{"a":1,"b":null}"#, false),
  ])
  func aStaleExampleIsSeen(_ shown: String, _ printed: String, _ isTrue: Bool) {
    #expect(Readme.shows(shown, for: printed) == isTrue)
  }
}
