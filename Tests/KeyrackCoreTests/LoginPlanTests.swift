import KeyrackCore
import KeyrackProtocol
import Testing

@Suite struct LoginPlanTests {
  @Test(arguments: [("corp", "corp", "[provider corp]"), ("google:personal", "google", "[account personal]")])
  func whatIsMissingIsToBeSetWhereTheProviderIsWritten(name: String, shown: String, group: String) {
    let provider = Provider(
      name: name, kind: .oauth(.init(clientID: "c", tokenEndpoint: "https://sso.example/token")))
    let account = Account(name: "personal", provider: provider)
    #expect(
      throws: ReplyError(
        .configError, "personal: provider \(shown) has no device_authorization_endpoint",
        hint: "set it in \(group) if the provider offers it")
    ) { try LoginPlan(LoginOperation(account: "personal", method: .device), for: account) }
  }
}
