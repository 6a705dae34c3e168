import Foundation
import KeyrackProtocol
import TestSupport
import Testing

/// What kubectl gets, byte for byte.
@Suite(.timeLimit(.minutes(1))) struct KubeCredentialTests {
  private func run(
    _ arguments: [String] = [], asked request: String?, expiresAt: String = "1798700000"
  ) async throws -> (run: Child.Result, requests: [String]) {
    let member = arguments.contains("--id-token") ? "id_token" : "access_token"
    let daemon = try ScriptedDaemon([
      .reply(
        #"{"ok":true,"account":"work","\#(member)":"a.b\"c","token_type":"Bearer","expires_at":\#(expiresAt),"#
          + #""min_valid_met":true}"#)
    ])
    defer { daemon.stop() }
    var environment = ["KEYRACK_SOCKET": daemon.path, "TZ": "Asia/Tokyo"]
    environment["KUBERNETES_EXEC_INFO"] = request
    let run = try await Child.run(
      [Products.path(of: "keyrack"), "kube-credential", "work"] + arguments, environment: environment)
    return (run, daemon.requests)
  }

  private static func request(_ version: String) -> String {
    #"{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/\#(version)","spec":{"cluster":{"server":"#
      + #""https://127.0.0.1:6443","certificate-authority-data":"AAAA","config":null},"interactive":true}}"#
  }

  private static func credential(
    _ version: String, _ expiry: String = #","expirationTimestamp":"2026-12-31T06:53:20Z""#
  )
    -> String
  {
    #"{"apiVersion":"client.authentication.k8s.io/\#(version)","kind":"ExecCredential","spec":{},"#
      + #""status":{"token":"a.b\"c"\#(expiry)}}"# + "\n"
  }

  @Test(arguments: [
    (request("v1"), "v1"), (request("v1beta1"), "v1beta1"), (nil, "v1"), ("", "v1"),
  ])
  func theVersionIsTheOneThatIsAskedFor(request: String?, version: String) async throws {
    let (run, requests) = try await run(asked: request)
    #expect(run.output == Self.credential(version))
    #expect(run.status == 0 && run.error.isEmpty)
    #expect(requests == [#"{"op":"token","account":"work"}"#])
  }

  @Test func aTokenWithoutAnEndHasNoTimestamp() async throws {
    let (run, _) = try await run(asked: nil, expiresAt: "null")
    #expect(run.output == Self.credential("v1", ""))
  }

  @Test func theIdTokenIsAskedForByItsKind() async throws {
    let (run, requests) = try await run(["--id-token"], asked: nil)
    #expect(run.output == Self.credential("v1"))
    #expect(requests == [#"{"op":"token","account":"work","kind":"id"}"#])
  }

  @Test(arguments: [
    (request("v1alpha1"), "client.authentication.k8s.io/v1alpha1 is not known here"),
    ("{}", "it has no apiVersion"), (#"{"apiVersion":1}"#, "it has no apiVersion"), ("v1", "not a JSON object"),
  ])
  func aRequestThatIsNotUnderstoodIsToldOf(request: String, complaint: String) async throws {
    let (run, requests) = try await run(asked: request)
    #expect(run.status == 1 && run.output.isEmpty && requests.isEmpty)
    #expect(run.error.hasPrefix("keyrack: KUBERNETES_EXEC_INFO: \(complaint)"), "\(run.error)")
  }

  @Test func oneWhoIsSignedOutIsToldOnStandardError() async throws {
    let fixture = try await KeyrackFixture()
    let result = try await fixture.daemon.keyrack("kube-credential", "work")
    #expect(result.status == 3 && result.output.isEmpty)
    #expect(result.error == "keyrack: work: not signed in\nkeyrack: hint: keyrack login work\n")
    try await fixture.signIn()
    let signedIn = try await fixture.daemon.keyrack("kube-credential", "work")
    #expect(signedIn.output.contains(#""token":"\#(try await fixture.token())""#))
  }
}
