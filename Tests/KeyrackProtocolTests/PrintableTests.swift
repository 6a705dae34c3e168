import KeyrackProtocol
import Testing

@Suite struct PrintableTests {
  @Test(arguments: [
    ("plain, ünïcode 😀", "plain, ünïcode 😀"), ("a\u{1B}[2Jb", "a\\u{1B}[2Jb"), ("a\nb\r\n", "a\\u{A}b\\u{D}\\u{A}"),
    ("\u{9B}", "\\u{9B}"), ("a\u{202E}b\u{200B}", "a\\u{202E}b\\u{200B}"), ("\u{2028}\u{2029}", "\\u{2028}\\u{2029}"),
    ("\0\u{7F}", "\\u{0}\\u{7F}"), ("\u{E000}\u{FFFE}", "\\u{E000}\\u{FFFE}"), ("", ""),
  ])
  func showsWhatDrivesATerminalAsNumbers(_ text: String, _ shown: String) { #expect(text.printable == shown) }
}
