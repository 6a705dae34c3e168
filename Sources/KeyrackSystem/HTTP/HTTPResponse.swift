/// A complete answer, whatever its status.
package struct HTTPResponse: Sendable, Equatable {
  package var status: Int
  package var contentType: String?
  /// The text of `Retry-After`, see ``RetryAfter``.
  package var retryAfter: String?
  /// When it was made, by the clock there: see ``ResponseDate``.
  package var date: Int?
  /// Where a redirect, which is never followed, wanted to lead: host and port, or nil.
  package var redirect: String?
  /// Decoded, at most ``HTTPClient/Limits/body`` bytes.
  package var body: [UInt8]

  package init(
    status: Int, contentType: String? = nil, retryAfter: String? = nil, date: Int? = nil,
    redirect: String? = nil, body: [UInt8] = []
  ) {
    self.status = status
    self.contentType = contentType
    self.retryAfter = retryAfter
    self.date = date
    self.redirect = redirect
    self.body = body
  }
}

/// Why there is no answer. Messages name host and port, and never what was sent.
package enum HTTPFailure: Error, Sendable, Equatable {
  /// The request certainly did not leave.
  case notSent(String)
  /// Nor did this one: nobody who is trusted knows the certificate.
  case untrusted(String)
  /// Nor did this one: the certificate has expired, or is for another host.
  case invalidCertificate(String)
  /// The request may have left, and nobody knows what became of it.
  case unknown(String)
}
