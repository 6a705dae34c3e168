import KeyrackProtocol
import Testing

@testable import KeyrackSystem

@Suite struct OneLineTests {
  @Test(arguments: [
    ("plain", "plain"), ("a\r\nb", "a b"), ("a\u{1B}[31mb", "a [31mb"), ("\n a \t b \n", "a b"), ("a\u{202E}b", "ab"),
    ("a\u{2028}b", "a b"), ("a\u{0}b", "a b"), ("a\u{85}b", "a b"), ("é", "é"), ("", ""),
  ])
  func whatMovesTheCursorIsRemoved(text: String, line: String) {
    #expect(OneLine.text(text) == line)
  }

  @Test(arguments: [
    ("token abc failed", "abc", "token <redacted> failed"), ("abcabc", "abc", "<redacted><redacted>"),
    ("a\u{200B}bc", "abc", "<redacted>"), ("pass  word!", "pass  word", "<redacted>!"), ("nothing", "", "nothing"),
  ])
  func aSecretIsRemoved(text: String, secret: String, line: String) {
    #expect(OneLine.text(text, redacting: [Secret(secret)]) == line)
  }

  @Test func aSecretAtTheCutIsRemovedWhole() {
    let text = String(repeating: "x", count: 195) + "supersecret"
    #expect(!OneLine.text(text, redacting: [Secret("supersecret")]).contains("super"))
  }

  @Test func theBeginningOfALongSecretIsRemovedToo() {
    let secret = Secret("0123456789abcdefghij")
    #expect(OneLine.text("bad token 0123456789abcdefg...", redacting: [secret]) == "bad token <redacted>...")
    #expect(OneLine.text("bad token 0123456", redacting: [secret]) == "bad token 0123456")
  }

  @Test func theOuterOfTwoSecretsIsRemoved() {
    #expect(OneLine.text("abcdef", redacting: [Secret("bc"), Secret("abcdef")]) == "<redacted>")
  }

  @Test func aLongTextIsCut() {
    #expect(OneLine.text(String(repeating: "x", count: 100_000)).count == OneLine.maximumCount + 1)
  }
}
