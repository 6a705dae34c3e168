import Foundation
import KeyrackProtocol
import TestSupport
import Testing

/// The man pages are the reference: what they name is what there is.
@Suite(.timeLimit(.minutes(1))) struct ManualTests {
  @Test(arguments: [
    ("[account work]\nnonsense=1", ["Accounts"]),
    ("[provider corp]\nnonsense=1", ["Every provider", "OAuth providers"]),
    ("[provider corp]\nkind=json\nnonsense=1", ["Every provider", "JSON providers"]),
    ("[use git https://h]\nnonsense=1", ["Served programs"]),
    ("[keyrack]\nnonsense=1", ["The program"]),
  ])
  func everyKeyOfTheConfigurationIsThere(_ configuration: String, _ titles: [String]) async throws {
    let session = try await PrivateSession(.withoutBus)
    let daemon = try await KeyrackDaemon(in: session, configuration: "")
    // It takes connections before it has read its configuration, and answers after that.
    _ = try await daemon.call(VersionOperation())
    try daemon.write(configuration: configuration)
    let error = try await daemon.failure(ReloadOperation())
    let list = try #require(error.hint?.firstMatch(of: #/ has (.*)$/#)).1
    let page = try Manual("keyrack.conf.5")
    let keys = titles.flatMap { Manual.items("Cm", in: page.subsection($0, of: "KEYS")) }
    #expect(keys.sorted() == list.components(separatedBy: ", ").sorted())
  }

  @Test func everyPresetIsThere() async throws {
    let session = try await PrivateSession(.withoutBus)
    let daemon = try await KeyrackDaemon(in: session, configuration: "")
    let presets = try await daemon.call(ProvidersOperation()).providers.filter { $0.origin == .preset }.map(\.name)
    let page = try Manual("keyrack.conf.5")
    #expect(Manual.items("Li", in: page.lines(of: "PRESETS")).sorted() == presets.sorted())
  }

  @Test func everyOperationIsThereWithItsMembers() throws {
    let parts = try Manual("keyrack-protocol.7").subsections(of: "OPERATIONS")
    #expect(parts.map(\.title).sorted() == OperationName.allCases.map(\.rawValue).sorted())
    for part in parts {
      let name = try #require(OperationName(rawValue: part.title))
      #expect(Manual.items("Cm", in: part.lines).sorted() == Self.members(of: name).sorted(), "\(name)")
    }
  }

  private static func members(of name: OperationName) -> [String] {
    func names<Called: KeyrackProtocol.Operation>(_ operation: Called.Type) -> [String] {
      Called.CodingKeys.allCases.map { $0.stringValue }
    }
    return switch name {
    case .version: names(VersionOperation.self)
    case .login: names(LoginOperation.self)
    case .loginResponse: names(LoginResponseOperation.self)
    case .cancel: names(CancelOperation.self)
    case .logout: names(LogoutOperation.self)
    case .token: names(TokenOperation.self)
    case .status: names(StatusOperation.self)
    case .check: names(CheckOperation.self)
    case .subscribe: names(SubscribeOperation.self)
    case .reload: names(ReloadOperation.self)
    case .providers: names(ProvidersOperation.self)
    case .discover: names(DiscoverOperation.self)
    case .register: names(RegisterOperation.self)
    case .secret: names(SecretOperation.self)
    case .resolve: names(ResolveOperation.self)
    case .purge: names(PurgeOperation.self)
    }
  }

  @Test func everyErrorCodeAndStateIsThere() throws {
    let page = try Manual("keyrack-protocol.7")
    let codes = Manual.items("Cm", in: page.lines(of: "ERROR CODES"))
    #expect(codes.sorted() == ErrorCode.allCases.map(\.rawValue).sorted())
    let states = Manual.items("Cm", in: page.lines(of: "STATES"))
    #expect(states == AccountState.allCases.map(\.rawValue))
  }

  @Test func everyCommandIsThereWithItsOptions() async throws {
    let page = try Manual("keyrack.1")
    let parts = page.subsections(of: "COMMANDS")
    let overview = try await CommandRun.run(["help"], socket: nil).text
    let list = try #require(overview.firstMatch(of: /\ncommands:\n((?:  .*\n)*)/)).1
    let commands = list.matches(of: #/(?m)^  ([a-z-]+(?: [a-z]+)?)  /#).map { String($0.1) }
    #expect(commands == parts.map(\.title))
    let common = Manual.items("Fl", in: page.lines(of: "OPTIONS")).map { "-\($0)" }
    for part in parts {
      let help = try await CommandRun.run(part.title.split(separator: " ").map(String.init) + ["--help"], socket: nil)
      let options = help.text.matches(of: /\n  (--[a-z-]+)/).map { String($0.1) }
      let named = Manual.items("Fl", in: part.lines).map { "-\($0)" }
      #expect(named.sorted() == options.filter { !common.contains($0) }.sorted(), "\(part.title)")
      #expect(help.text.contains("\nexamples:\n  # "), "\(part.title)")
    }
  }

  @Test func everyExitStatusIsThere() async throws {
    let help = try await CommandRun.run(["--help"], socket: nil).text
    let page = try Manual("keyrack.1").lines(of: "EXIT STATUS").joined(separator: "\n")
    let statuses = help.matches(of: /\n  ([0-9])  (.*)/)
    #expect(statuses.count == 9)
    for status in statuses { #expect(page.contains("\n.It \(status.1)\n\(status.2)\n"), "\(status.0)") }
    let daemon = try await Child.run([Products.path(of: "keyrackd"), "--help"], environment: [:]).output
    let statusesOfDaemon = try #require(daemon.firstMatch(of: /exit status\n(.*)/)).1
    let pageOfDaemon = try Manual("keyrackd.8").lines(of: "EXIT STATUS").joined(separator: "\n")
    for status in statusesOfDaemon.matches(of: /([0-9]+) ([a-z ]*[a-z])/) {
      #expect(pageOfDaemon.contains("\n.It \(status.1)\n\(status.2)"), "\(status.0)")
    }
  }

  @Test(arguments: [("configuration", "5 keyrack.conf"), ("protocol", "7 keyrack-protocol")])
  func helpIsAboutTopicsToo(topic: String, page: String) async throws {
    let run = try await CommandRun.run(["help", topic], socket: nil)
    #expect(run.status == 0 && run.errors.isEmpty && run.text.contains("man \(page)\n"))
    #expect(try await CommandRun.run(["help"], socket: nil).text.contains("\n  \(topic) "))
  }

  @Test func theVersionIsTheSameEverywhere() throws {
    for (file, sentence) in [
      ("README.md", "This version (\(Keyrack.version)) "), ("CHANGELOG.md", " \(Keyrack.version)"),
    ] {
      let text = try String(contentsOf: Manual.checkout.appending(path: file), encoding: .utf8)
      #expect(text.contains(sentence), "\(file)")
    }
  }
}
