package import KeyrackProtocol

/// A POST; nothing else is ever sent to a provider.
package struct HTTPRequest: Sendable {
  package var endpoint: Endpoint
  package var body: WipedBuffer?
  /// Of the body.
  package var contentType: String?
  /// Sent as `Authorization: Bearer` (RFC 6750, section 2.1).
  package var bearer: Secret?
  /// A PEM file of the certificate authorities to trust instead of the system's.
  package var caFile: String?
  /// On a connection of its own. A kept connection may have died, and then libcurl sends the request a second time: not
  /// for a request that spends something.
  package var freshConnection: Bool

  package init(
    endpoint: Endpoint, body: WipedBuffer? = nil, contentType: String? = nil, bearer: Secret? = nil,
    caFile: String? = nil, freshConnection: Bool
  ) {
    self.endpoint = endpoint
    self.body = body
    self.contentType = contentType
    self.bearer = bearer
    self.caFile = caFile
    self.freshConnection = freshConnection
  }
}
