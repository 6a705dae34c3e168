import Synchronization

/// Sends requests to providers: libcurl on a thread of its own, so that a handshake never stalls the event loop.
///
/// It follows no redirect, retries nothing, keeps no cookies, and reads an answer only up to a limit.
package final class HTTPClient: Sendable {
  package struct Limits: Sendable {
    package var connect: Duration
    /// From the call to the end of the answer.
    package var total: Duration
    /// Bytes of an answer's body, decoded.
    package var body: Int
    /// Bytes of an answer's header, interim answers included.
    package var header: Int

    package init(
      connect: Duration = .seconds(5), total: Duration = .seconds(20), body: Int = 1 << 20, header: Int = 64 << 10
    ) {
      self.connect = connect
      self.total = total
      self.body = body
      self.header = header
    }
  }

  private let limits: Limits
  private let queue: TransferQueue
  private let lastNumber = Atomic<UInt64>(0)

  /// Starts the thread.
  package init(limits: Limits = Limits()) throws(HTTPClientError) {
    self.limits = limits
    let queue = try TransferQueue()
    self.queue = queue
    do { try Thread.start("http") { TransferLoop(queue: queue).run() } } catch {
      throw HTTPClientError(message: error.message)
    }
  }

  deinit { stop() }

  /// The answer as `read` understands it, or why there is none. A canceled task gets its failure soon.
  ///
  /// `read` runs on the HTTP thread: the caller's may be the event loop, which a hostile answer must not keep busy.
  package func send<Answer: Sendable>(
    _ request: HTTPRequest, reading read: @escaping @Sendable (HTTPResponse) -> Answer
  ) async -> Result<Answer, HTTPFailure> {
    let number = lastNumber.add(1, ordering: .relaxed).newValue
    defer { queue.forget(number) }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        queue.add(
          PendingTransfer(number: number, request: request, limits: limits) { result in
            continuation.resume(returning: result.map(read))
          })
      }
    } onCancel: {
      queue.cancel(number)
    }
  }

  /// Fails what is under way and ends the thread. Later requests are not sent.
  package func stop() { queue.stop() }
}

package struct HTTPClientError: Error, Equatable {
  package let message: String
}
