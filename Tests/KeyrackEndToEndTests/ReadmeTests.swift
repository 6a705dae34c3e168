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
