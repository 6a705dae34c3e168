/// How many lines of a connection are handed out in a turn. All connections have the same one.
///
/// On the loop's thread only.
final class TurnLength {
  private(set) var lines: Int
  private let limits: ConnectionLimits

  init(_ limits: ConnectionLimits) {
    self.limits = limits
    lines = limits.linesAlone
  }

  func connections(are count: Int) { lines = count > 1 ? limits.linesOfATurn : limits.linesAlone }
}
