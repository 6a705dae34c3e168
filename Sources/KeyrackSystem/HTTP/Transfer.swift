import CCurl
import Glibc
import KeyrackCore
import KeyrackProtocol

/// One request in libcurl's hands. Lives on the HTTP thread; its callbacks run there.
@safe final class Transfer {
  @unsafe let easy: UnsafeMutableRawPointer
  var number: UInt64 { pending.number }

  private let pending: PendingTransfer
  private let lists: TransferLists
  private var body: [UInt8] = []
  private var headerCount = 0
  /// libcurl takes a header that ends in the middle for a complete one.
  private var headerIsComplete = false
  /// What made a callback give up.
  private var overflow: String?
  /// Set just before the first byte of the request is written.
  private var mayHaveLeft = false

  private var endpoint: Endpoint { pending.request.endpoint }

  /// Nil where libcurl refuses a setting, or a header would not be one line.
  init?(_ pending: PendingTransfer) {
    guard let lists = TransferLists(pending.request), let easy = unsafe curl_easy_init() else { return nil }
    self.pending = pending
    self.lists = lists
    unsafe self.easy = easy
    guard setNumbers(), setTexts(), setBody(), setCallbacks() else { return nil }
  }

  deinit { unsafe curl_easy_cleanup(easy) }

  /// After libcurl has let go of it.
  func finish(_ code: CURLcode) {
    let code = code == CURLE_OK && !headerIsComplete ? CURLE_PARTIAL_FILE : code
    let failure = TransferFailure(
      code: code, endpoint: endpoint, caFile: pending.request.caFile?.path, mayHaveLeft: mayHaveLeft,
      overflow: overflow,
      verifyResult: number(of: CURLINFO_SSL_VERIFYRESULT), systemError: Int32(number(of: CURLINFO_OS_ERRNO)),
      proxyStatus: number(of: CURLINFO_HTTP_CONNECTCODE))
    pending.end(code == CURLE_OK ? .success(response()) : .failure(failure.outcome))
  }

  func abandon(_ reason: String) {
    let message = "the request to \(endpoint.name) was ended: \(reason)"
    pending.end(.failure(mayHaveLeft ? .unknown(message) : .notSent(message)))
  }

  private func response() -> HTTPResponse {
    HTTPResponse(
      status: number(of: CURLINFO_RESPONSE_CODE), contentType: header("Content-Type"),
      retryAfter: header("Retry-After"), date: ResponseDate.seconds(header("Date"), age: header("Age")),
      redirect: header("Location").flatMap { endpoint.target(ofRedirect: $0) },
      body: body)
  }

  private func number(of info: CURLINFO) -> Int {
    var value = 0
    unsafe keyrack_curl_get_long(easy, info, &value)
    return value
  }

  /// Nil where there is none, or more than one.
  private func header(_ name: String) -> String? {
    var header: UnsafeMutablePointer<curl_header>?
    guard unsafe curl_easy_header(easy, name, 0, UInt32(CURLH_HEADER), -1, &header) == CURLHE_OK,
      let header = unsafe header, unsafe header.pointee.amount == 1, let value = unsafe header.pointee.value
    else { return nil }
    return unsafe String(cString: value)
  }
}

// MARK: Settings

extension Transfer {
  private func setNumbers() -> Bool {
    let isFresh = pending.request.freshConnection ? 1 : 0
    var settings: [(CURLoption, Int)] = [
      pending.request.method == .get ? (CURLOPT_HTTPGET, 1) : (CURLOPT_POST, 1),
      (CURLOPT_FOLLOWLOCATION, 0),
      (CURLOPT_CONNECTTIMEOUT_MS, pending.limits.connect.milliseconds),
      (CURLOPT_TIMEOUT_MS, pending.limits.total.milliseconds),
      (CURLOPT_FRESH_CONNECT, isFresh),
      (CURLOPT_FORBID_REUSE, isFresh),
      // Over HTTP/2 libcurl sends a refused stream again.
      (CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1),
      (CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2),
      (CURLOPT_SUPPRESS_CONNECT_HEADERS, 1),
      (CURLOPT_NOSIGNAL, 1),
      // Else the end of a transfer waits for a name server that does not answer, and with it all other transfers.
      (CURLOPT_QUICK_EXIT, 1),
    ]
    // Else a file of the person's that has changed is not read again for a day. The system's is large.
    if pending.request.caFile != nil { settings.append((CURLOPT_CA_CACHE_TIMEOUT, 0)) }
    return settings.allSatisfy { unsafe keyrack_curl_set_long(easy, $0, $1) == CURLE_OK }
  }

  private func setTexts() -> Bool {
    var settings: [(CURLoption, String)] = [
      (CURLOPT_URL, endpoint.url),
      (CURLOPT_PROTOCOLS_STR, endpoint.isSecure ? "https" : "http"),
      (CURLOPT_USERAGENT, "keyrack/\(Keyrack.version)"),
      // All that libcurl can decode.
      (CURLOPT_ACCEPT_ENCODING, ""),
    ]
    // Without it, it would be a POST: it has a body, too.
    if pending.request.method == .delete { settings.append((CURLOPT_CUSTOMREQUEST, "DELETE")) }
    // Else libcurl takes the proxy from the environment.
    if endpoint.isLoopback { settings.append((CURLOPT_PROXY, "")) }
    if let file = pending.request.caFile {
      settings.append((CURLOPT_CAINFO, file.path))
      // The system's directory, which libcurl looks into besides the file.
      if !file.isAddition {
        guard unsafe keyrack_curl_set_pointer(easy, CURLOPT_CAPATH, nil) == CURLE_OK else { return false }
      }
    }
    return unsafe settings.allSatisfy { unsafe keyrack_curl_set_string(easy, $0, $1) == CURLE_OK }
      && keyrack_curl_set_list(easy, CURLOPT_HTTPHEADER, lists.headers) == CURLE_OK
      && keyrack_curl_set_list(easy, CURLOPT_RESOLVE, lists.addresses) == CURLE_OK
  }

  private func setBody() -> Bool {
    if pending.request.method == .get { return true }
    let body = pending.request.body
    guard unsafe keyrack_curl_set_long(easy, CURLOPT_POSTFIELDSIZE, body?.count ?? 0) == CURLE_OK else { return false }
    // Not a copy: libcurl reads our buffer.
    if let address = unsafe body?.address {
      return unsafe keyrack_curl_set_pointer(easy, CURLOPT_POSTFIELDS, address) == CURLE_OK
    }
    // A copy of nothing; without it libcurl would ask for a body.
    return unsafe keyrack_curl_set_string(easy, CURLOPT_COPYPOSTFIELDS, "") == CURLE_OK
  }

  private func setCallbacks() -> Bool {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    let settings = [CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_PREREQDATA]
    return unsafe settings.allSatisfy { unsafe keyrack_curl_set_pointer(easy, $0, context) == CURLE_OK }
      && keyrack_curl_set_write(easy, CURLOPT_WRITEFUNCTION, bodyCame) == CURLE_OK
      && keyrack_curl_set_write(easy, CURLOPT_HEADERFUNCTION, headerCame) == CURLE_OK
      && keyrack_curl_set_prereq(easy, departs) == CURLE_OK
  }
}

// MARK: Callbacks

extension Transfer {
  fileprivate func take(body bytes: UnsafeRawBufferPointer) -> Int {
    guard body.count + bytes.count <= pending.limits.body else {
      overflow = "an answer of more than \(pending.limits.body) bytes"
      return 0
    }
    unsafe body.append(contentsOf: bytes)
    return bytes.count
  }

  /// One line. After an interim answer there comes another header, after a chunked body there may come more lines.
  fileprivate func take(header line: UnsafeRawBufferPointer) -> Int {
    let count = line.count
    headerCount += count
    if unsafe line.starts(with: "HTTP/".utf8) { headerIsComplete = false }
    if unsafe line.allSatisfy({ "\r\n".utf8.contains($0) }) { headerIsComplete = true }
    guard headerCount <= pending.limits.header else {
      overflow = "a header of more than \(pending.limits.header) bytes"
      return 0
    }
    return count
  }

  fileprivate func depart() { mayHaveLeft = true }

  fileprivate static func of(_ context: UnsafeMutableRawPointer?) -> Transfer? {
    unsafe context.map { unsafe Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
  }
}

private let bodyCame: keyrack_curl_write_callback = { data, size, count, context in
  unsafe Transfer.of(context)?.take(body: UnsafeRawBufferPointer(start: data, count: size * count)) ?? 0
}

private let headerCame: keyrack_curl_write_callback = { data, size, count, context in
  unsafe Transfer.of(context)?.take(header: UnsafeRawBufferPointer(start: data, count: size * count)) ?? 0
}

private let departs: keyrack_curl_prereq_callback = { context, _, _, _, _ in
  unsafe Transfer.of(context)?.depart()
  return CURL_PREREQFUNC_OK
}

extension Duration {
  /// Rounded up, so that a short time does not become 0, which means "for ever" to libcurl.
  fileprivate var milliseconds: Int {
    Int(components.seconds) * 1000 + Int((components.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
