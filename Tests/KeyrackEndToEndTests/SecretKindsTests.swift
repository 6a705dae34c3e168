import Foundation
import Glibc
import KeyrackProtocol
import TestSupport
import Testing

/// Every kind of secret that there is goes through the daemon once, and is looked for afterwards.
@Suite(.timeLimit(.minutes(2)), .enabled(if: geteuid() == 0, "only root can look into all processes"))
struct SecretKindsTests {
  private let clientSecret = "cs-\(SecrecyTests.random(24))"
  private let password = "pw-\(SecrecyTests.random(24))"
  private let idToken = "it-\(SecrecyTests.random(24)).e30.c2ln"

  private func fixture(_ setting: String) async throws -> KeyrackFixture {
    let fixture = try await KeyrackFixture.withBrowser(
      "par=required\npassword_grant=true\ntoken_endpoint_auth_method=client_secret_post\n\(setting)")
    try await fixture.provider.set(
      .init(users: ["alice": password], clientSecrets: ["keyrack-test": clientSecret]))
    return fixture
  }

  @Test func noneIsInAFileAnArgumentAnEnvironmentOrALogLine() async throws {
    let folder = try TemporaryFolder()
    try clientSecret.write(toFile: "\(folder.path)/secret", atomically: false, encoding: .utf8)
    let fixture = try await fixture("client_secret_command=cat \(folder.path)/secret; exec sleep 0.1")
    let watch = ProcessWatch(fixture.session)
    let secrets = try await useAll(fixture)
    try await fixture.daemon.stop()
    let seen = watch.stop()
    for part in ["keyrackd", "keyrack-keyring", "sleep", "gnome-keyring-daemon"] {
      #expect(seen.contains { $0.contains(part) }, "\(part) was not looked at")
    }
    for secret in secrets {
      #expect(!seen.contains { $0.contains(secret) })
      #expect(!fixture.daemon.said.contains(secret), "\(fixture.daemon.said)")
    }
    try fixture.session.expectInNoFile(secrets)
  }

  @Test func theMemoryForgetsThemAll() async throws {
    let fixture = try await fixture("")
    _ = try await fixture.daemon.call(SecretOperation(provider: "corp", secret: Secret(clientSecret)))
    #expect(try await fixture.session.items().contains { $0.secret.contains(clientSecret) })
    let secrets = try await useAll(fixture)
    _ = try await fixture.daemon.call(SecretOperation(provider: "corp", secret: nil))
    try await fixture.daemon.memoryForgets(secrets)
    try fixture.session.expectInNoFile(secrets)
  }

  /// Signs in by each method, refreshes and signs out. All secrets that were sent or given.
  private func useAll(_ fixture: KeyrackFixture) async throws -> [String] {
    var secrets = [password, clientSecret, idToken]
    let login = try await OpenSignIn(fixture)
    let callback = try await login.callback()
    secrets.append(try #require(callback["code"]))
    try await callback.deliver()
    _ = try await login.outcome().get()
    let first = try await fixture.token()
    secrets += [first, try await fixture.token(insteadOf: first)]
    let device = try await OpenSignIn(fixture, .device)
    try await fixture.provider.decideDevices(.approve)
    _ = try await device.outcome().get()
    try await fixture.signIn(password: password)
    _ = try await fixture.denial(password: "\(password)!")
    secrets += try await fixture.provider.tokens().map(\.token)
    try await refuseIDToken(fixture)
    _ = try await fixture.daemon.call(LogoutOperation(account: "work", wait: true))
    let forms = try await fixture.provider.log().compactMap(\.form)
    for member in ["code", "code_verifier", "device_code", "refresh_token", "token", "client_secret", "password"] {
      let values = forms.compactMap { $0[member] }
      #expect(!values.isEmpty, "no \(member) was sent")
      secrets += values
    }
    return Array(Set(secrets))
  }

  /// An id token that nobody can verify, in an answer that says so.
  private func refuseIDToken(_ fixture: KeyrackFixture) async throws {
    let body = #"{"access_token":"\#(idToken)","token_type":"Bearer","expires_in":60,"id_token":"\#(idToken)"}"#
    try await fixture.provider.script("/token", status: 200, body: body)
    let login = try await OpenSignIn(fixture)
    try await login.callback().deliver()
    _ = try await login.failure()
  }
}

extension PrivateSession {
  /// Homes, sockets, logs and the files of the keyring.
  nonisolated func expectInNoFile(_ texts: [String]) throws {
    let files = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    #expect(files.contains { $0.hasSuffix("keyrack.conf") } && files.contains("keyrackd.log"))
    for file in files {
      var isFolder: ObjCBool = false
      let file = "\(path)/\(file)"
      guard FileManager.default.fileExists(atPath: file, isDirectory: &isFolder), !isFolder.boolValue else { continue }
      let bytes = (try? Data(contentsOf: URL(filePath: file))) ?? Data()
      for text in texts { #expect(bytes.range(of: Data(text.utf8)) == nil, "\(file)") }
    }
  }
}
