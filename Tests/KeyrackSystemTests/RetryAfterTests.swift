import Testing

@testable import KeyrackSystem

@Suite struct RetryAfterTests {
  /// Sun, 06 Nov 1994 08:49:37 GMT
  private let date = 784_111_777

  @Test(
    arguments: [
      ("0", .zero), ("120", .seconds(120)), ("3600", .seconds(3600)), ("3601", .seconds(3600)),
      ("99999999999999999999999", .seconds(3600)), ("", nil), ("-5", nil), ("1.5", nil), ("soon", nil),
      ("120, 240", nil),
      ("Sun, 06 Nov 1994 08:49:37 GMT", .seconds(60)), ("Sunday, 06-Nov-94 08:49:37 GMT", .seconds(60)),
      ("Sun Nov  6 08:49:37 1994", .seconds(60)), ("Sun, 06 Nov 1994 08:40:00 GMT", nil),
      ("Sun, 06 Nov 2094 08:49:37 GMT", .seconds(3600)), ("Sun, 99 Nov 1994 99:99:99 GMT", nil),
    ] as [(String, Duration?)])
  func everyFormIsUnderstood(text: String, duration: Duration?) {
    #expect(RetryAfter.duration(text, now: date - 60) == duration)
  }

  @Test func noneIsNone() { #expect(RetryAfter.duration(nil) == nil) }
}
