/// A place on the web, as a URL names it, in a form that can be compared.
package struct WebPlace: Sendable, Hashable {
  /// Scheme, host and port: `https://git.example.org:443`, in small letters.
  package let origin: [UInt8]
  /// Decoded, a slash at both ends: `/`, `/team/`.
  package let path: [UInt8]

  package init(origin: [UInt8], path: [UInt8]) {
    self.origin = origin
    self.path = path
  }

  /// Whether another one is below this, or is this.
  package func contains(_ other: WebPlace) -> Bool { origin == other.origin && other.path.starts(with: path) }
}
