package import KeyrackCore

/// Where the public keys of a provider are.
package struct KeySource: Sendable, Hashable {
  /// `jwks_uri` of its metadata.
  package let endpoint: Endpoint
  /// A PEM file of the certificate authorities to trust instead of the system's.
  package let caFile: CAFile?

  package init(endpoint: Endpoint, caFile: CAFile? = nil) {
    self.endpoint = endpoint
    self.caFile = caFile
  }
}
