import KeyrackClient
import KeyrackProtocol

extension Client {
  /// More than a daemon takes to stop, and systemd to start the next one.
  static let patience = Duration.seconds(120)

  /// Says that the daemon has gone, and waits for the next one. Throws where none comes: by the deadline, or else within
  /// `patience`.
  func afterRestart<O: Operation>(
    answering operation: O, before deadline: ContinuousClock.Instant? = nil, patience: Duration = Client.patience
  ) throws -> (client: Client, answer: Answer<O.Reply>) {
    Output.note("keyrack: waiting: keyrackd has stopped, or is being restarted")
    do {
      return try successor(answering: operation, before: deadline ?? .now + patience)
    } catch let error as ClientError where deadline == nil && error.mayPass {
      let length = RelativeTime.length(Int(patience.components.seconds))
      throw CommandFailure(status: 7, "gave up after \(length): \(error)", hint: error.hint)
    }
  }
}
