import KeyrackCore
import KeyrackSystem
import Testing

@Suite(.timeLimit(.minutes(1))) struct ConfigurationNoticeTests {
  @Test(
    arguments: [
      ("", NoticeSettings()), ("on_event=jq . | logger; true", NoticeSettings(command: "jq . | logger; true")),
      ("notify=no", NoticeSettings(isShown: false)), ("notify=yes", NoticeSettings(isShown: true)),
      ("notify_interval=3600", NoticeSettings(interval: .seconds(3600))),
      ("notify_interval=0", NoticeSettings(interval: nil)),
    ] as [(String, NoticeSettings)])
  func theSettingsAreRead(_ text: String, _ settings: NoticeSettings) async throws {
    let directory = try ConfigurationDirectory()
    try directory.write("[keyrack]\n\(text)\n")
    #expect(try await directory.read().notices == settings)
  }

  @Test(arguments: [
    "on_event=", "notify=maybe", "notify_interval=-1", "notify_interval=1d", "notify_interval=2592001",
  ])
  func whatIsWrongIsNamed(_ text: String) async throws {
    let directory = try ConfigurationDirectory()
    try directory.write("[keyrack]\n\(text)\n")
    let key = text.split(separator: "=")[0]
    let error = try await directory.failure()
    #expect(error?.message.hasPrefix("~/.config/keyrack/keyrack.conf:2: [keyrack] \(key): ") == true)
    #expect(error?.hint != nil)
  }
}
