package import KeyrackCore
package import KeyrackProtocol

/// One request to a provider.
package struct HTTPRequest: Sendable {
  package enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
    case delete = "DELETE"
  }

  /// The value of `Authorization`.
  package enum Authorization: Sendable {
    /// RFC 6750, section 2.1.
    case bearer(Secret)
    /// RFC 7617: a name, a colon and a password, in Base64.
    case basic(Secret)
  }

  package var method: Method
  package var endpoint: Endpoint
  /// Of a POST or a DELETE.
  package var body: Secret?
  /// Of the body.
  package var contentType: String?
  package var authorization: Authorization?
  /// A PEM file of the certificate authorities to trust instead of the system's.
  package var caFile: CAFile?
  /// On a connection of its own. A kept connection may have died, and then libcurl sends the request a second time: not
  /// for a request that spends something.
  package var freshConnection: Bool

  package init(
    _ method: Method = .post, endpoint: Endpoint, body: Secret? = nil, contentType: String? = nil,
    authorization: Authorization? = nil, caFile: CAFile? = nil, freshConnection: Bool
  ) {
    self.method = method
    self.endpoint = endpoint
    self.body = body
    self.contentType = contentType
    self.authorization = authorization
    self.caFile = caFile
    self.freshConnection = freshConnection
  }
}
