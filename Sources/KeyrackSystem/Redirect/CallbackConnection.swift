import CMicrohttpd
import CSystemd
import Glibc

/// One connection of a browser, for one request: each answer ends it.
@safe final class CallbackConnection {
  enum State {
    case reading
    /// Suspended until the receiver has decided, or takes too long.
    case deciding(EventLoop.Timer)
    case decided(CallbackAnswer)
    case closed
  }

  let pointer: OpaquePointer
  var state = State.reading
  /// When it is ended, whatever it does; nil while it waits for the receiver.
  var deadline: ContinuousClock.Instant?
  /// As it stood in the request line, which comes before the rest.
  var target = ""
  var request: CallbackRequest?

  init(_ pointer: OpaquePointer, deadline: ContinuousClock.Instant) {
    unsafe self.pointer = pointer
    self.deadline = deadline
  }

  /// The library finds the end of input, and closes.
  func shutDown() { unsafe shutdown(keyrack_mhd_connection_descriptor(pointer), Int32(SHUT_RDWR)) }

  func suspend() { unsafe MHD_suspend_connection(pointer) }
  func resume() { unsafe MHD_resume_connection(pointer) }

  func begin(_ method: String) {
    let headSize = unsafe keyrack_mhd_head_size(pointer)
    request = CallbackRequest(method: method, target: target, headers: headers(), headSize: Int(headSize))
  }

  /// False where the library could not.
  func send(_ answer: CallbackAnswer) -> Bool {
    var html = Array(answer.html.utf8)
    guard let response = unsafe MHD_create_response_from_buffer(html.count, &html, .RESPMEM_MUST_COPY) else {
      return false
    }
    defer { unsafe MHD_destroy_response(response) }
    for (name, value) in answer.headers {
      guard unsafe MHD_add_response_header(response, name, value) == .YES else { return false }
    }
    return unsafe MHD_queue_response(pointer, answer.status, response) == .YES
  }

  private func headers() -> [(name: String, value: String)] {
    var headers: [(name: String, value: String)] = []
    unsafe withUnsafeMutablePointer(to: &headers) { headers in
      _ = unsafe MHD_get_connection_values(
        pointer, .HEADER_KIND,
        { headers, _, name, value in
          let name = unsafe name.map { unsafe String(cString: $0) } ?? ""
          let value = unsafe value.map { unsafe String(cString: $0) } ?? ""
          unsafe headers?.assumingMemoryBound(to: [(name: String, value: String)].self).pointee.append((name, value))
          return .YES
        }, headers)
    }
    return headers
  }
}
