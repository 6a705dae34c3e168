import CCurl
import Synchronization

/// A request on its way to the HTTP thread.
struct PendingTransfer: Sendable {
  let number: UInt64
  let request: HTTPRequest
  let limits: HTTPClient.Limits
  /// Called once.
  let end: @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void
}

/// What other threads tell the HTTP thread.
// @unchecked: the multi handle belongs to the HTTP thread; others only call curl_multi_wakeup, which is made for that.
@safe final class TransferQueue: @unchecked Sendable {
  struct Orders {
    var starts: [PendingTransfer] = []
    /// Numbers of canceled requests, which may come before the request itself.
    var cancels: Set<UInt64> = []
    var isStopping = false
  }

  @unsafe let multi: UnsafeMutableRawPointer
  private let orders = Mutex(Orders())

  init() throws(HTTPClientError) {
    guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, let multi = unsafe curl_multi_init() else {
      throw HTTPClientError(message: "could not start libcurl")
    }
    unsafe self.multi = multi
  }

  deinit { unsafe curl_multi_cleanup(multi) }

  func add(_ transfer: PendingTransfer) {
    let isStopping = orders.withLock { orders in
      if !orders.isStopping { orders.starts.append(transfer) }
      return orders.isStopping
    }
    if isStopping {
      transfer.end(.failure(.notSent("shutting down")))
    } else {
      wake()
    }
  }

  func cancel(_ number: UInt64) {
    orders.withLock { _ = $0.cancels.insert(number) }
    wake()
  }

  func stop() {
    orders.withLock { $0.isStopping = true }
    wake()
  }

  /// What there is to do. Only for the HTTP thread.
  func take() -> Orders {
    orders.withLock { orders in
      defer { orders.starts = [] }
      return orders
    }
  }

  /// A request has ended, and so has the interest in its cancellation.
  func forget(_ number: UInt64) { orders.withLock { _ = $0.cancels.remove(number) } }

  private func wake() { unsafe _ = curl_multi_wakeup(multi) }
}
