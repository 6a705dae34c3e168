import KeyrackCore
import KeyrackProtocol
import Testing

@testable import KeyrackSystem

@Suite struct RevocationAnswerTests {
  @Test(arguments: [
    (200, "", true, "done"), (204, "", false, "done"), (200, "<html>", false, "done"),
    (200, #"{"error":"invalid_token"}"#, false, "done"),
    (200, #"{"error":"unsupported_token_type"}"#, false, "refused"),
    (400, #"{"error":"invalid_token"}"#, false, "done"), (400, #"{"error":"invalid_grant"}"#, false, "done"),
    (400, #"{"error":"unsupported_token_type"}"#, false, "refused"), (400, "", false, "refused"),
    (400, #"{"error":"temporarily_unavailable"}"#, false, "failed"), (401, "", true, "done"),
    (401, #"{"error":"invalid_client"}"#, false, "refused"), (403, "", false, "refused"),
    (403, "<html>", false, "failed"), (404, "", true, "refused"), (404, "<html>", true, "refused"),
    (405, "", false, "refused"), (407, "<html>", false, "failed"), (302, "", false, "failed"),
    (408, "", true, "failed"),
    (429, "", false, "failed"), (500, "", false, "failed"), (503, #"{"error":"invalid_token"}"#, false, "failed"),
  ])
  func everyStatusHasItsMeaning(status: Int, body: String, provesToken: Bool, name: String) {
    let answer = RevocationAnswer(provesToken: provesToken, name: "sso.example.org:443", secrets: [])
    #expect(answer.outcome(of: HTTPResponse(status: status, body: Array(body.utf8))).name == name)
  }

  @Test func aRefusalExplainsItselfWithoutTheToken() {
    let answer = RevocationAnswer(provesToken: false, name: "sso.example.org:443", secrets: [Secret("s3cr3t")])
    let body = #"{"error":"unsupported_token_type","error_description":"s3cr3t is no token"}"#
    let outcome = answer.outcome(of: HTTPResponse(status: 400, body: Array(body.utf8)))
    let message = "sso.example.org:443 answered HTTP 400 unsupported_token_type: <redacted> is no token"
    #expect(outcome == .refused(message))
  }
}

extension RevocationOutcome {
  fileprivate var name: String {
    switch self {
    case .done: "done"
    case .unsupported: "unsupported"
    case .failed: "failed"
    case .refused: "refused"
    }
  }
}
