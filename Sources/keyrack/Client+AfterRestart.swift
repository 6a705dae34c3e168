import KeyrackClient
import KeyrackProtocol

extension Client {
  /// More than a daemon takes to stop, and systemd to start the next one.
  private static let patience = Duration.seconds(120)

  /// Says that the daemon has gone, and waits for the next one. Throws where none comes: by the deadline, or else in two
  /// minutes.
  func afterRestart<O: Operation>(
    answering operation: O, before deadline: ContinuousClock.Instant? = nil
  ) throws -> (client: Client, answer: Answer<O.Reply>) {
    Output.note("keyrack: waiting: keyrackd has stopped, or is being restarted")
    do {
      return try successor(answering: operation, before: deadline ?? .now + Self.patience)
    } catch let error as ClientError where deadline == nil && error.mayPass {
      let length = RelativeTime.length(Int(Self.patience.components.seconds))
      throw CommandFailure(status: 7, "gave up after \(length): \(error)", hint: error.hint)
    }
  }
}
