import CCurl
import Glibc

/// A URL that credentials may be sent to: https, or plain http where it stays on this machine.
///
/// libcurl takes it apart, so that what was judged is what is connected to.
package struct Endpoint: Sendable, Hashable {
  /// In libcurl's normal form.
  package let url: String
  /// Without the brackets of an IPv6 address.
  package let host: String
  package let port: Int
  package let isSecure: Bool
  /// Whether the host is `localhost` or an address of the loopback interface.
  package let isLoopback: Bool
  package let hasQuery: Bool

  /// Throws for anything that is not https or loopback http, and for a name, a password or a fragment in the URL.
  package init(validating text: String) throws(EndpointError) {
    guard let parts = unsafe URLParts(text) else {
      throw EndpointError("not a URL", hint: "write it in full, as in https://sso.example.org/token")
    }
    defer { unsafe parts.free() }
    guard let scheme = unsafe parts[CURLUPART_SCHEME], scheme == "https" || scheme == "http" else {
      throw EndpointError("not an https URL", hint: Self.hint)
    }
    guard unsafe parts[CURLUPART_USER] == nil, unsafe parts[CURLUPART_PASSWORD] == nil else {
      throw EndpointError("a name or a password in the URL", hint: "remove what stands before the @")
    }
    guard unsafe parts[CURLUPART_FRAGMENT] == nil else {
      throw EndpointError("a fragment in the URL", hint: "remove the # and what follows")
    }
    guard let url = unsafe parts[CURLUPART_URL], let host = unsafe parts[CURLUPART_HOST],
      let port = unsafe parts[CURLUPART_PORT].flatMap({ Int($0) })
    else { throw EndpointError("a URL without a host") }
    self.url = url
    self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    self.port = port
    isSecure = scheme == "https"
    isLoopback = Self.isLoopback(self.host)
    hasQuery = unsafe parts[CURLUPART_QUERY] != nil
    guard isSecure || isLoopback else { throw EndpointError("plain http to \(self.host)", hint: Self.hint) }
  }

  /// Host and port, for messages.
  package var name: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Host and port of where a redirect from here would lead, whatever is there: for messages only. Nil for no URL.
  package func target(ofRedirect location: String) -> String? {
    guard let parts = unsafe URLParts(url) else { return nil }
    defer { unsafe parts.free() }
    guard unsafe parts.follow(location), let host = unsafe parts[CURLUPART_HOST] else { return nil }
    return unsafe parts[CURLUPART_PORT].map { "\(host):\($0)" } ?? host
  }

  private static let hint = "use https; plain http is only for localhost, 127.0.0.0/8 and [::1]"

  private static func isLoopback(_ host: String) -> Bool {
    if host.lowercased() == "localhost" { return true }
    var four = in_addr()
    if unsafe inet_pton(AF_INET, host, &four) == 1 { return UInt32(bigEndian: four.s_addr) >> 24 == 127 }
    var six = in6_addr()
    guard unsafe inet_pton(AF_INET6, host, &six) == 1 else { return false }
    return unsafe withUnsafeBytes(of: &six) { unsafe $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
  }
}

package struct EndpointError: Error, Sendable, Equatable {
  /// What is wrong, without the URL, which may hold a password.
  package let message: String
  /// What would be right.
  package let hint: String?

  init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }
}
