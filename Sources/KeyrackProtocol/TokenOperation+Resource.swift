import FoundationEssentials

extension TokenOperation {
  /// A resource indicator or several. Decoded are only such as RFC 8707, section 2, allows: absolute URIs without a
  /// fragment; they are sent to the provider as they were written.
  public struct Resource: Decodable, Sendable, Hashable {
    /// How many a request may name.
    public static let maximumCount = 8

    public let uris: [String]

    public init(_ uris: [String]) { self.uris = uris }

    public init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let uri = try? container.decode(String.self) {
        uris = [uri]
      } else {
        uris = try container.decode([String].self)
      }
      guard uris.count <= Self.maximumCount else {
        throw InvalidMember(CodingKeys.resource, "expected at most \(Self.maximumCount) URIs")
      }
      guard uris.allSatisfy(Self.isAbsolute) else {
        throw InvalidMember(CodingKeys.resource, "expected an absolute URI without a fragment")
      }
    }

    private static func isAbsolute(_ uri: String) -> Bool {
      guard let parts = URLComponents(string: uri, encodingInvalidCharacters: false), parts.fragment == nil,
        let scheme = parts.scheme, !scheme.isEmpty
      else { return false }
      return parts.host?.isEmpty == false || !parts.percentEncodedPath.isEmpty
    }
  }
}
