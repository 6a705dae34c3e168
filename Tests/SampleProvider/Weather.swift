/// How refreshes fare where the provider flaps: spells of fair and of foul weather take turns, and in both some refreshes
/// fail at random. All chance is from the seed; on whom it falls depends on who asks when.
struct Weather {
  private static let shortest = 1_000
  private static let longest = 6_000

  private var state: UInt64
  // So that a fair spell is the first.
  private var isFoul = true
  private var spellEnd: ContinuousClock.Instant

  init(seed: UInt64, now: ContinuousClock.Instant) {
    state = seed
    spellEnd = now
  }

  /// What befalls a refresh at that time.
  mutating func fault(at now: ContinuousClock.Instant) -> Fault? {
    while now >= spellEnd {
      isFoul.toggle()
      spellEnd += .milliseconds(Self.shortest + draw(below: Self.longest - Self.shortest))
    }
    guard draw(below: 100) < (isFoul ? 60 : 5) else { return nil }
    return Fault.deck[draw(below: Fault.deck.count)]
  }

  /// Knuth's linear congruential generator; its upper half is the good one.
  private mutating func draw(below bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % bound
  }
}
