import Testing

@testable import KeyrackCore

@Suite struct ConstantTimeTests {
  /// Two random texts of the same length, as `state` is, and two that differ at one place only.
  @Test func onlyTheSameIsEqual() {
    let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
    var generator = SystemRandomNumberGenerator()
    func text() -> String { String((0..<43).map { _ in letters[Int.random(in: 0..<64, using: &generator)] }) }
    for _ in 0..<2000 {
      let (one, other) = (text(), text())
      #expect(one.isEqualInConstantTime(to: one))
      #expect(one.isEqualInConstantTime(to: other) == (one == other))
      let place = Int.random(in: 0..<43, using: &generator)
      var changed = Array(one)
      changed[place] = changed[place] == "a" ? "b" : "a"
      #expect(!one.isEqualInConstantTime(to: String(changed)))
    }
    #expect(!"abc".isEqualInConstantTime(to: "ab"))
    #expect("".isEqualInConstantTime(to: ""))
  }
}
