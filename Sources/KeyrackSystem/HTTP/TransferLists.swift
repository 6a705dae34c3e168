import CCurl
import Glibc
import KeyrackProtocol

/// The lists that libcurl reads for as long as a transfer lasts. A token among the headers is overwritten at the end.
@safe final class TransferLists {
  @unsafe private(set) var headers: UnsafeMutablePointer<curl_slist>?
  /// Of `localhost`: the machine's resolver is not asked.
  @unsafe private(set) var addresses: UnsafeMutablePointer<curl_slist>?

  /// Nil where a header would not be one line of printable ASCII.
  init?(_ request: HTTPRequest) {
    // An empty one keeps libcurl from sending its own.
    var lines = ["Accept: application/json", "Expect:", "Content-Type:"].map { Array($0.utf8) }
    if let type = request.contentType { lines[2].append(contentsOf: " \(type)".utf8) }
    switch request.authorization {
    case .bearer(let token): lines.append(Array("Authorization: Bearer ".utf8) + token.bytes)
    case .basic(let credentials): lines.append(Array("Authorization: Basic ".utf8) + credentials.bytes)
    case nil: break
    }
    for line in lines where !add(header: line) { return nil }
    let endpoint = request.endpoint
    if endpoint.isLoopback && endpoint.host.lowercased() == "localhost" {
      unsafe addresses = curl_slist_append(nil, "\(endpoint.host):\(endpoint.port):127.0.0.1,[::1]")
    }
  }

  deinit {
    var node = unsafe headers
    while let this = unsafe node {
      if let line = unsafe this.pointee.data { unsafe explicit_bzero(line, strlen(line)) }
      unsafe node = this.pointee.next
    }
    unsafe curl_slist_free_all(headers)
    unsafe curl_slist_free_all(addresses)
  }

  private func add(header line: [UInt8]) -> Bool {
    guard line.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return false }
    let text = line.map { CChar(bitPattern: $0) } + [0]
    guard let list = unsafe curl_slist_append(headers, text) else { return false }
    unsafe headers = list
    return true
  }
}
