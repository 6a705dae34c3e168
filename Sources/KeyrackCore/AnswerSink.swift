/// A whole line with its line feed, on its way to whoever sent a request.
package enum AnswerLine: Sendable {
  case event([UInt8])
  /// The last line that answers a request.
  case reply([UInt8])
  /// No line: none comes any more for a request that was answered by events.
  case end
}

/// Where the lines go that answer one request. To be called on the loop's thread.
package struct AnswerSink: Sendable {
  private let take: @Sendable (AnswerLine?) -> Bool

  /// `take` says whether there still is a client; of nil it does nothing else.
  package init(_ take: @escaping @Sendable (AnswerLine?) -> Bool) { self.take = take }

  /// Whether there still is a client.
  @discardableResult package func callAsFunction(_ line: AnswerLine) -> Bool { take(line) }

  package var hasClient: Bool { take(nil) }
}
