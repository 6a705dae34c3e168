import KeyrackCore
import KeyrackProtocol
import Testing

@Suite struct EventThrottleTests {
  private static let mail = Caller("/usr/bin/mbsync", process: 1)

  /// A token is asked for: what is written.
  private func ask(
    _ throttle: inout EventThrottle, _ account: String = "work", _ token: String = "at-1", by caller: Caller = mail,
    scope: String? = nil
  ) -> [Event] {
    var key = EventThrottle.Key(.tokenGranted, account: account, program: caller.program)
    key.scope = scope
    if throttle.counts(key, Secret(token), by: caller) { return [] }
    let event = Event(.tokenGranted, "given", account: account, caller: caller, token: "mark of \(token.count)")
    return throttle.admit(event, as: key, Secret(token), by: caller)
  }

  @Test func theFirstIsWrittenAndTheOthersAreCounted() {
    var throttle = EventThrottle()
    #expect(ask(&throttle).map(\.count) == [nil])
    for _ in 0..<999 { #expect(ask(&throttle).isEmpty) }
    let end = throttle.windowEnded()
    #expect(end.map(\.count) == [999])
    #expect(end.map(\.message) == ["given, 999 times more"])
    #expect(end.map(\.account) == ["work"])
  }

  @Test func whatGoesOnIsCountedInTheNextWindowToo() {
    var throttle = EventThrottle()
    _ = (ask(&throttle), ask(&throttle), throttle.windowEnded())
    #expect(ask(&throttle).isEmpty)
    #expect(throttle.windowEnded().map(\.message) == ["given, once more"])
    #expect(!throttle.isIdle)
    #expect(throttle.windowEnded().isEmpty)
    #expect(throttle.isIdle)
    #expect(ask(&throttle).map(\.count) == [nil])
  }

  @Test func aSingleOneIsForgottenWithItsWindow() {
    var throttle = EventThrottle()
    _ = ask(&throttle)
    #expect(throttle.windowEnded().isEmpty)
    #expect(throttle.isIdle)
  }

  /// Each differs from the first in one thing.
  private static let others: [(String, String, Caller, String?)] = [
    ("other", "at-1", mail, nil), ("work", "at-2", mail, nil), ("work", "at-1", Caller("/usr/bin/git"), nil),
    ("work", "at-1", Caller("/usr/bin/mbsync", unit: "a.service"), nil), ("work", "at-1", mail, "read"),
    ("work", "at-1", Caller("/usr/bin/mbsync", confinement: .container), nil),
  ]

  @Test(arguments: others.indices) func whatDiffersHasALineOfItsOwn(_ index: Int) {
    var throttle = EventThrottle()
    _ = ask(&throttle)
    let (account, token, caller, scope) = Self.others[index]
    #expect(ask(&throttle, account, token, by: caller, scope: scope).map(\.count) == [nil])
  }

  @Test func anotherProcessOfTheSameProgramIsARepeatAndTheLastOneIsNamed() {
    var throttle = EventThrottle()
    _ = (ask(&throttle), ask(&throttle, by: Caller("/usr/bin/mbsync", process: 2)))
    #expect(throttle.windowEnded().map(\.caller?.process) == [2])
  }

  @Test func theCountOfATokenComesBeforeTheNextToken() {
    var throttle = EventThrottle()
    _ = (ask(&throttle), ask(&throttle), ask(&throttle))
    #expect(ask(&throttle, "work", "at-22").map(\.count) == [2, nil])
    #expect(throttle.windowEnded().isEmpty)
  }

  @Test func theEndOfASessionWritesItsCountsOnly() {
    var throttle = EventThrottle()
    for account in ["work", "other", "work", "other"] { _ = ask(&throttle, account) }
    #expect(throttle.ended(account: "work").map(\.account) == ["work"])
    #expect(throttle.ended(account: "work").isEmpty)
    #expect(ask(&throttle).map(\.count) == [nil])
    #expect(throttle.windowEnded().map(\.account) == ["other"])
  }

  @Test func aFloodOfDifferentOnesMakesOneLineMore() {
    var throttle = EventThrottle()
    let lines = (0..<1000).flatMap { ask(&throttle, "account-\($0)") }
    #expect(lines.count == EventThrottle.limit)
    let end = throttle.windowEnded()
    #expect(end.map(\.count) == [1000 - EventThrottle.limit])
    #expect(end.first?.account == nil)
    #expect(throttle.isIdle)
  }

  @Test func oneKindDoesNotTakeTheLinesOfAnother() {
    var throttle = EventThrottle()
    for number in 0..<100 { _ = throttle.admit(Event(.denied, "no", account: "a\(number)")) }
    #expect(ask(&throttle).count == 1)
    #expect(throttle.admit(Event(.loggedOut, "out")).count == 1)
  }

  /// Whatever comes in whatever order, all of it is in the lines.
  @Test(arguments: 1...20 as ClosedRange<UInt64>) func nothingIsLost(_ seed: UInt64) {
    var throttle = EventThrottle()
    var (state, asked) = (seed, 0)
    func number(below limit: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % limit
    }
    var lines: [Event] = []
    for _ in 0..<2000 {
      switch number(below: 100) {
      case 0: lines += throttle.windowEnded()
      case 1: lines += throttle.ended(account: "a\(number(below: 90))")
      default:
        asked += 1
        lines += ask(&throttle, "a\(number(below: 90))", "at-\(number(below: 2))")
      }
    }
    lines += throttle.windowEnded()
    #expect(lines.reduce(0) { $0 + ($1.count ?? 1) } == asked)
  }
}
