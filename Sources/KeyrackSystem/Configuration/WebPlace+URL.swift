import CCurl
import KeyrackCore
import KeyrackProtocol

extension WebPlace {
  /// Throws for what no token is sent to, as ``Endpoint`` does, and for a query and a path that leads elsewhere.
  init(_ url: String, for use: ResolveOperation.Use) throws(EndpointError) {
    // A registry mostly goes by its name alone.
    let whole = use == .docker && !url.contains("://") ? "https://\(url)" : url
    let endpoint = try Endpoint(validating: whole)
    guard !whole.utf8.contains(UInt8(ascii: "?")) else {
      throw EndpointError("a query in the URL", hint: "write it up to the question mark")
    }
    let scheme = endpoint.isSecure ? "https" : "http"
    self.init(
      origin: Array("\(scheme)://\(endpoint.name)".utf8.map(Self.lowercased)), path: try Self.path(of: endpoint.url))
  }

  /// Paths are compared decoded: git tells them so.
  private static func path(of url: String) throws(EndpointError) -> [UInt8] {
    guard let parts = unsafe URLParts(url) else { throw EndpointError("not a URL") }
    defer { unsafe parts.free() }
    guard let path = unsafe parts.decodedPath else { throw EndpointError("a path that cannot be decoded") }
    let names = path.split(separator: UInt8(ascii: "/")).map(Array.init)
    guard !names.contains(Array(".".utf8)), !names.contains(Array("..".utf8)) else {
      throw EndpointError("a path with . or .. in it", hint: "write where it leads")
    }
    return names.reduce(into: [UInt8(ascii: "/")]) { $0 += $1 + [UInt8(ascii: "/")] }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
