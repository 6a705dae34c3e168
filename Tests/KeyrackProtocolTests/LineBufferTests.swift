import KeyrackProtocol
import Testing

@Suite struct LineBufferTests {
  func lines(_ chunks: [String], atEnd: Bool = false, maximumLength: Int = 16) -> [String] {
    var buffer = LineBuffer(maximumLength: maximumLength)
    var result: [String] = []
    var isTooLong = false
    func drain(_ end: Bool) {
      while !isTooLong {
        switch buffer.next(atEnd: end) {
        case .line(let line): result.append(String(decoding: line, as: UTF8.self))
        case .tooLong:
          isTooLong = true
          result.append("<too long>")
        case .incomplete: return
        }
      }
    }
    for chunk in chunks {
      buffer.append(Array(chunk.utf8))
      drain(false)
    }
    if atEnd { drain(true) }
    return result
  }

  @Test(arguments: [
    (["a\nb\n"], ["a", "b"]), (["a", "b", "\n"], ["ab"]), (["a\r\n\r\n\n  \nb\n"], ["a", "b"]),
    (["a\nb"], ["a", "b"]), (["a\r"], ["a"]), (["", "\n", ""], []),
    (["0123456789abcdef\n"], ["0123456789abcdef"]), (["0123456789abcdef\r\n"], ["0123456789abcdef"]),
    (["0123456789abcdefg\n"], ["<too long>"]), (["0123456789abcdefgh"], ["<too long>"]),
    (["0123456789", "abcdefgh"], ["<too long>"]),
  ])
  func linesAreCut(_ chunks: [String], _ expected: [String]) {
    #expect(lines(chunks, atEnd: true) == expected)
  }

  @Test func anUnfinishedLineIsNoLineBeforeTheEnd() {
    #expect(lines(["{\"op\":"]) == [])
  }
}
