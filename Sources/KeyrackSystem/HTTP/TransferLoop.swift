import CCurl

/// Moves the transfers along. Lives on the HTTP thread.
final class TransferLoop {
  private let queue: TransferQueue
  private var transfers: [UInt64: Transfer] = [:]

  init(queue: TransferQueue) { self.queue = queue }

  /// Returns when the queue is stopped and all transfers have ended.
  func run() {
    while takeOrders() {
      var running: Int32 = 0
      unsafe curl_multi_perform(queue.multi, &running)
      finishTransfers()
      // libcurl returns earlier where it has a timer, and when the queue wakes it.
      unsafe curl_multi_poll(queue.multi, nil, 0, 60_000, nil)
    }
    for number in Array(transfers.keys) { end(number, "shutting down") }
  }

  /// False where it is to stop. By its end the orders are gone, which hold secrets: the wait after it may be long, and
  /// an answer can have come before it.
  private func takeOrders() -> Bool {
    let orders = queue.take()
    for pending in orders.starts { start(pending) }
    for number in orders.cancels { end(number, "canceled") }
    return !orders.isStopping
  }

  private func start(_ pending: PendingTransfer) {
    guard let transfer = Transfer(pending), unsafe curl_multi_add_handle(queue.multi, transfer.easy) == CURLM_OK else {
      pending.end(.failure(.notSent("could not prepare a request")))
      return
    }
    transfers[pending.number] = transfer
  }

  private func end(_ number: UInt64, _ reason: String) {
    guard let transfer = transfers.removeValue(forKey: number) else { return }
    unsafe curl_multi_remove_handle(queue.multi, transfer.easy)
    transfer.abandon(reason)
  }

  private func finishTransfers() {
    var left: Int32 = 0
    while let message = unsafe curl_multi_info_read(queue.multi, &left) {
      guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
      let code = unsafe keyrack_curl_message_result(message)
      let easy = unsafe message.pointee.easy_handle
      guard let transfer = transfers.values.first(where: { unsafe $0.easy == easy }) else { continue }
      transfers[transfer.number] = nil
      unsafe curl_multi_remove_handle(queue.multi, transfer.easy)
      transfer.finish(code)
    }
  }
}
