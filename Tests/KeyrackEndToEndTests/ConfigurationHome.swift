import Glibc
import TestSupport

/// A person's configuration directory, empty at first, and runs of `keyrack` that use it.
final class ConfigurationHome: Sendable {
  let path: String
  var directory: String { path + "/keyrack" }
  var file: String { directory + "/keyrack.conf" }

  init() throws { path = try TemporaryDirectory.make() }

  deinit {
    for name in ["keyrack.conf.d/more.conf", "keyrack.conf"] { unlink("\(directory)/\(name)") }
    for name in ["dotfiles.conf", "input"] { unlink("\(path)/\(name)") }
    for name in ["/keyrack/keyrack.conf.d", "/keyrack", ""] { rmdir(path + name) }
  }

  /// Nil where there is no file.
  var text: String? { Self.read(file) }

  func write(_ text: String) throws {
    mkdir(directory, 0o700)
    try Self.write(text, to: file)
  }

  static func read(_ path: String) -> String? {
    guard let stream = fopen(path, "r") else { return nil }
    defer { fclose(stream) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    return String(decoding: bytes[..<fread(&bytes, 1, bytes.count, stream)], as: UTF8.self)
  }

  static func write(_ text: String, to path: String) throws {
    guard let stream = fopen(path, "w") else { throw SystemFailure(code: errno) }
    defer { fclose(stream) }
    fputs(text, stream)
  }

  static func mode(of path: String) -> mode_t {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  /// What a run came to.
  struct Outcome: Sendable {
    let run: CommandRun
    let requests: [String]
    /// The operations of the requests.
    var operations: [String] {
      requests.map { String($0.split(separator: "\"", maxSplits: 4, omittingEmptySubsequences: false)[3]) }
    }
  }

  /// Runs it to its end without a terminal.
  func run(_ arguments: [String], input: String = "", _ replies: [String]) async throws -> Outcome {
    let daemon = try ScriptedDaemon(replies.map { .reply($0) })
    defer { daemon.stop() }
    let environment = ["KEYRACK_SOCKET=\(daemon.path)", "XDG_CONFIG_HOME=\(path)"]
    let run = try await BlockingThread.run {
      let process = try CommandProcess(arguments, environment: environment)
      process.feed(input)
      return process.result()
    }
    return Outcome(run: run, requests: daemon.requests)
  }

  /// Runs it at a terminal, whose person is `body`.
  func converse(
    _ arguments: [String], _ replies: [String],
    _ body: @escaping @Sendable (PseudoTerminal, CommandProcess) throws -> Void
  ) async throws -> Outcome {
    let daemon = try ScriptedDaemon(replies.map { .reply($0) })
    defer { daemon.stop() }
    let environment = ["KEYRACK_SOCKET=\(daemon.path)", "XDG_CONFIG_HOME=\(path)"]
    let run = try await BlockingThread.run {
      let terminal = try PseudoTerminal()
      let process = try CommandProcess(arguments, environment: environment, terminal: terminal.path)
      try body(terminal, process)
      return process.result()
    }
    return Outcome(run: run, requests: daemon.requests)
  }
}

/// Lines of a daemon.
enum Lines {
  static let noAccounts = status("")
  static let reload = #"{"ok":true,"added":["work"],"removed":[],"changed":[]}"#
  static let login =
    #"{"ok":true,"account":"work","session":"0a","subject":"jo","scope":null,"remembered":true,"warnings":[]}"#
  static let loggedOut = #"{"ok":true,"account":"work","local":"done","remote":"done"}"#
  static let secret = #"{"ok":true,"provider":"work"}"#
  static let providers =
    #"{"ok":true,"providers":[{"name":"google","origin":"preset","kind":"oauth","issuer":"https://accounts.google.com","#
    + #""methods":["browser","device"],"settings":[{"key":"token_endpoint","value":"https://oauth2.test/token"},"#
    + #"{"key":"token_endpoint_auth_method","value":"client_secret_post"},{"key":"scopes","value":"openid;mail"}],"#
    + #""missing":["client_id"]},{"name":"microsoft","origin":"preset","kind":"oauth","issuer":null,"#
    + #""methods":["browser"],"settings":[{"key":"token_endpoint","#
    + #""value":"https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token"}],"#
    + #""missing":["client_id"]},{"name":"corp","origin":"configuration","kind":"oauth","issuer":null,"#
    + #""methods":["password"],"settings":[{"key":"client_id","value":"c"}],"missing":[]}]}"#
  static let register =
    #"{"ok":true,"provider":"work","settings":[{"key":"issuer","value":"https://a.test"},"#
    + #"{"key":"discovery","value":"oidc"},{"key":"client_id","value":"made"}],"expires_at":null}"#

  static func status(_ accounts: String) -> String {
    #"{"ok":true,"accounts":[\#(accounts)],"keyring":{"state":"ok"},"outbox":[],"orphans":[]}"#
  }

  static func account(_ name: String, of provider: String) -> String {
    #"{"account":"\#(name)","provider":"\#(provider)","state":"active","remembered":true,"saved":true}"#
  }

  static func discovery(registers: Bool) -> String {
    #"{"ok":true,"issuer":"https://a.test","discovery":"oidc","scopes_supported":["openid","mail","offline_access"],"#
      + #""grant_types_supported":[],"token_endpoint_auth_methods_supported":["client_secret_post","none"],"#
      + #""registers":\#(registers)}"#
  }

  static func refusal(_ code: String) -> String {
    #"{"ok":false,"error":{"code":"\#(code)","message":"work: no","retryable":false}}"#
  }
}
