import KeyrackCore
import KeyrackProtocol
import Testing

@Suite struct AuthorizationResponseTests {
  @Test func takesWhatItKnowsAndIgnoresTheRest() throws {
    let response = try AuthorizationResponse([
      ("scope", Secret("a b")), ("state", Secret("s")), ("code", Secret("c")), ("iss", Secret("https://i")),
      ("scope", Secret("c")),
    ])
    #expect(response.code == Secret("c"))
    #expect(response.state == "s")
    #expect(response.issuer == "https://i")
    #expect(response.error == nil)
    #expect(!response.isEmpty)
  }

  @Test(arguments: ["code", "state", "iss", "error"], ["", "same", "other"])
  func refusesWhatIsThereTwice(name: String, second: String) {
    #expect(throws: RepeatedParameter(name: name)) {
      try AuthorizationResponse([(name, Secret("same")), ("x", Secret("y")), (name, Secret(second))])
    }
  }

  @Test func anEmptyParameterCountsAsAbsent() throws {
    let response = try AuthorizationResponse(["code", "state", "iss", "error"].map { ($0, Secret("")) })
    #expect(response.isEmpty)
    #expect(response.state == nil)
    #expect(response.issuer == nil)
  }

  @Test func anErrorIsAnAnswerToo() throws {
    let response = try AuthorizationResponse([
      ("error", Secret("access_denied")), ("error_description", Secret("no")), ("error_description", Secret("yes")),
    ])
    #expect(response.error == "access_denied")
    #expect(response.errorDescription == "no")
    #expect(!response.isEmpty)
  }

  @Test func theCodeIsNotPrinted() throws {
    let response = try AuthorizationResponse([("code", Secret("hush"))])
    #expect(!"\(response)".contains("hush"))
  }
}
