import CCurl
import Glibc

/// What libcurl says of a transfer that failed, and what it means.
struct TransferFailure {
  var code: CURLcode
  var endpoint: Endpoint
  var caFile: String?
  /// Whether the connection stood and the request was about to be written.
  var mayHaveLeft: Bool
  var overflow: String?
  /// OpenSSL's verdict on the certificate (`X509_V_ERR_…`).
  var verifyResult = 0
  var systemError: Int32 = 0
  /// What a proxy answered to CONNECT, or 0.
  var proxyStatus = 0

  var outcome: HTTPFailure {
    if mayHaveLeft { return .unknown(message) }
    guard code == CURLE_PEER_FAILED_VERIFICATION else { return .notSent(message) }
    return isOfUnknownAuthority ? .untrusted(message) : .invalidCertificate(message)
  }

  /// OpenSSL has several words for it.
  private var isOfUnknownAuthority: Bool { [2, 18, 19, 20, 21].contains(verifyResult) }

  private var name: String { endpoint.name }

  private var message: String {
    if let overflow { return "\(name) sent \(overflow)" }
    if proxyStatus >= 300 { return "the proxy refused a connection to \(name): HTTP \(proxyStatus)" }
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: return "could not resolve \(endpoint.host)"
    case CURLE_COULDNT_RESOLVE_PROXY: return "could not resolve the proxy for \(name)"
    case CURLE_COULDNT_CONNECT: return "could not connect to \(name)\(orProxy)" + reason
    case CURLE_OPERATION_TIMEDOUT:
      return mayHaveLeft ? "\(name) did not answer in time" : "could not connect to \(name) in time"
    case CURLE_PEER_FAILED_VERIFICATION: return "the certificate of \(name) \(verdict)"
    case CURLE_SSL_CACERT_BADFILE:
      return "could not read the certificate authorities" + (caFile.map { " in \($0)" } ?? "")
    case CURLE_SSL_CONNECT_ERROR: return "the TLS handshake with \(name) failed"
    case CURLE_GOT_NOTHING: return "\(name) closed the connection without an answer"
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: return "what \(name) answered is not HTTP"
    // libcurl's word for a line of the header that is longer than its buffer.
    case CURLE_OUT_OF_MEMORY: return "\(name) sent a header that is too long"
    case CURLE_PARTIAL_FILE: return "\(name) closed the connection in the middle of its answer"
    default: return "the request to \(name) failed: \(unsafe String(cString: curl_easy_strerror(code)))" + reason
    }
  }

  /// libcurl does not say which of them it was.
  private var orProxy: String {
    let names = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    let isSet = !endpoint.isLoopback && names.contains { unsafe getenv($0).map { unsafe $0.pointee != 0 } ?? false }
    return isSet ? ", or to the proxy that the environment names" : ""
  }

  private var reason: String {
    systemError == 0 ? "" : ": \(SystemError.text(of: systemError))"
  }

  private var verdict: String {
    if isOfUnknownAuthority { return "is not from a known authority" }
    return switch verifyResult {
    // libcurl looks at the names itself after OpenSSL has found nothing, and then leaves its initial value of 1.
    case 0, 1, 62, 64: "is for another host"
    case 9: "is not valid yet"
    case 10: "has expired"
    case 23: "has been revoked"
    default: "is not valid (OpenSSL verify error \(verifyResult))"
    }
  }
}
