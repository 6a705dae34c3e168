import Glibc

/// One client, served on the thread that calls ``serve()``.
struct Connection {
  let descriptor: Int32
  let provider: Monitor<Provider>
  let listener: Listener

  func serve() {
    defer { close(descriptor) }
    var one: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    var reader = RequestReader(descriptor: descriptor)
    while true {
      switch reader.next() {
      case .request(let request):
        guard answer(request), request.keepsAlive else { return }
      case .malformed(let status):
        _ = send(HTTPResponse(status: status).bytes(closes: true))
        return
      case .end: return
      }
    }
  }

  /// Whether the connection can go on.
  private func answer(_ request: HTTPRequest) -> Bool {
    if request.path.hasPrefix("/control/") {
      let response = Control(provider: provider, listener: listener).answer(request)
      return send(response.bytes(closes: !request.keepsAlive))
    }
    let handling = provider.update { $0.receive(request) }
    if handling.isHeld { _ = provider.wait { $0.held[handling.number] == nil } }
    if handling.delay > 0 { usleep(UInt32(handling.delay) * 1000) }
    let bytes = handling.response.bytes(closes: !request.keepsAlive)
    switch handling.drop {
    case .before, .after: return false
    case .reset:
      resetWhenClosed()
      return false
    case .mid:
      _ = send(bytes.dropLast(max(1, handling.response.body.count / 2)))
      return false
    case nil:
      guard send(bytes) else { return false }
      provider.update { $0.markAnswered(handling.number) }
      return true
    }
  }

  private func resetWhenClosed() {
    var atOnce = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
  }

  /// Sends everything. False once the client is gone.
  private func send(_ bytes: some Collection<UInt8>) -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }
}
