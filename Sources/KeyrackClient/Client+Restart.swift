import Glibc
package import KeyrackProtocol

extension Client {
  private static let mostRestarts = 3

  /// The same across restarts of the daemon: what only asks is asked again of the daemon that comes after one which stops.
  /// systemd keeps the connections for it; where nobody does, the outcome is what the first one left.
  func exchangeAcrossRestarts<O: Operation>(
    _ operation: O, deadline: ContinuousClock.Instant, _ event: (LoginEvent) throws -> Void
  ) throws -> Answer<O.Reply> {
    // Nothing is known of a connection that has failed before.
    var restarts = operation.onlyAsks && isConnected ? Self.mostRestarts : 0
    var refusal: Answer<O.Reply>?
    while true {
      do {
        let answer = try exchange(operation, deadline: deadline, event)
        guard restarts > 0, answer.isOfStopping, reconnect() else { return answer }
        refusal = answer
      } catch let error where Self.isLoss(error) {
        guard restarts > 0, reconnect() else {
          if let refusal { return refusal }
          throw error
        }
      }
      restarts -= 1
    }
  }

  /// A connection to the daemon that comes after the one this is a connection to, and what it answers first. Throws the
  /// error of the last try where none has answered by the deadline.
  package func successor<O: Operation>(
    answering operation: O, before deadline: ContinuousClock.Instant
  ) throws -> (client: Client, answer: Answer<O.Reply>) {
    var pause = Duration.milliseconds(100)
    while true {
      usleep(UInt32(max(.zero, min(pause, deadline - .now)) / .microseconds(1)))
      pause = min(pause * 2, .seconds(2))
      // Of any kind: Swift 6.3 crashes on a condition of a typed error.
      do throws(any Error) {
        let client = try Client(path: path)
        // One that is to be started answers late, and one that hangs is given up then.
        let answer = try client.answer(to: operation, within: max(.milliseconds(1), deadline - .now))
        guard case .failure(let error) = answer.result, error.retryable, deadline > .now else {
          return (client, answer)
        }
      } catch let error as ClientError where error.mayPass && deadline > .now {
        continue
      }
    }
  }

  private static func isLoss(_ error: any Error) -> Bool {
    switch error {
    case ClientError.connectionLost, SocketFailure.system: true
    default: false
    }
  }
}

extension Answer {
  fileprivate var isOfStopping: Bool {
    guard case .failure(let error) = result else { return false }
    return error.code == .shuttingDown
  }
}

extension Operation {
  /// Whether it makes no difference how often it is sent.
  fileprivate var onlyAsks: Bool {
    switch Self.name {
    case .version, .status, .subscribe, .check, .token, .providers, .discover, .resolve: true
    case .login, .loginResponse, .cancel, .logout, .reload, .register, .secret, .purge: false
    }
  }
}
