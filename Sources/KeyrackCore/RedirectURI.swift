/// Where a provider sends the browser when it has decided (RFC 6749, 3.1.2; RFC 8252, 7.3), as the configuration says it.
///
/// Many providers compare it byte by byte: the text stays as it was written, and only `{port}` is ever replaced.
package struct RedirectURI: Sendable, Hashable {
  package let text: String
  package let place: Place

  package enum Place: Sendable, Hashable {
    /// `http` on this machine, where somebody listens while a sign-in is under way.
    case loopback(Loopback)
    /// `https` anywhere. Nobody listens: the person pastes the address that the browser ended on.
    case pasted
  }

  package struct Loopback: Sendable, Hashable {
    package let host: Host
    /// Tried in this order; empty: any port that is free.
    package let ports: [UInt16]
    /// As a browser asks for it; `/` where the text has none.
    package let path: String

    /// What a browser sends as `Host`.
    package func authority(port: UInt16) -> String { port == 80 ? host.rawValue : "\(host.rawValue):\(port)" }
  }

  package enum Host: String, Sendable, CaseIterable {
    case ipv4 = "127.0.0.1"
    case ipv6 = "[::1]"
    /// A browser may try either family first.
    case localhost
  }

  /// `ports` is for a text with `{port}`.
  package init(_ text: String, ports: [UInt16] = []) throws(RedirectError) {
    guard text.utf8.count <= 1024, text.utf8.allSatisfy(Self.isAllowed) else {
      throw RedirectError("redirect_uri is not a URL", hint: Self.hint)
    }
    guard !text.contains("#") else {
      throw RedirectError("redirect_uri has a fragment", hint: "remove the # and the rest")
    }
    self.text = text
    if text.hasPrefix("http://") {
      place = .loopback(try Loopback(text.dropFirst("http://".count), ports: ports))
    } else if text.hasPrefix("https://") {
      try Self.checkPasted(text.dropFirst("https://".count), ports: ports)
      place = .pasted
    } else {
      throw RedirectError("redirect_uri is neither http nor https", hint: Self.hint)
    }
  }

  /// What is sent to the provider, in the request and again with the code (RFC 6749, 4.1.3).
  package func text(port: UInt16) -> String {
    let parts = text.split(separator: "{", maxSplits: 1)
    guard parts.count == 2 else { return text }
    return parts[0] + String(port) + parts[1].dropFirst("port}".count)
  }

  fileprivate static let hint = "write it as in http://127.0.0.1:{port}/callback"

  private static func isAllowed(_ byte: UInt8) -> Bool {
    (0x21...0x7E).contains(byte) && !#""<>\^`|"#.utf8.contains(byte)
  }

  private static func checkPasted(_ rest: Substring, ports: [UInt16]) throws(RedirectError) {
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    guard !authority.isEmpty, !authority.contains("@") else { throw RedirectError("redirect_uri has no host") }
    guard !rest.contains("{"), !rest.contains("}"), ports.isEmpty else {
      throw RedirectError(
        "redirect_uri is https, where nobody listens and no port is chosen", hint: "leave the port out")
    }
  }
}

extension RedirectURI.Loopback {
  /// `rest` is what follows `http://`.
  fileprivate init(_ rest: Substring, ports: [UInt16]) throws(RedirectError) {
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let path = rest[authority.endIndex...]
    guard let host = RedirectURI.Host.allCases.first(where: { Self.port(in: authority, of: $0) != nil }),
      let port = Self.port(in: authority, of: host)
    else {
      throw RedirectError(
        "redirect_uri is plain http to another host than 127.0.0.1, [::1] or localhost", hint: RedirectURI.hint)
    }
    try Self.check(path)
    self.host = host
    self.ports = try Self.ports(port, ports)
    self.path = path.isEmpty ? "/" : String(path)
  }

  /// With its colon; empty where there is none, nil where `authority` is of another host.
  private static func port(in authority: Substring, of host: RedirectURI.Host) -> Substring? {
    guard authority.hasPrefix(host.rawValue) else { return nil }
    let rest = authority.dropFirst(host.rawValue.count)
    return rest.isEmpty || rest.hasPrefix(":") ? rest : nil
  }

  private static func ports(_ text: Substring, _ choice: [UInt16]) throws(RedirectError) -> [UInt16] {
    if text == ":{port}" {
      guard !choice.contains(0) else { throw RedirectError("port 0 cannot be listened on") }
      return choice
    }
    guard choice.isEmpty else {
      throw RedirectError("redirect_uri has a port, and there is a list of ports", hint: "write {port} for the port")
    }
    if text.isEmpty { return [80] }
    guard let port = UInt16(text.dropFirst()), port > 0, ":\(port)" == text else {
      throw RedirectError("redirect_uri has no port that could be listened on", hint: RedirectURI.hint)
    }
    return [port]
  }

  /// A browser changes what is refused here before it asks for it, so that it would never be found.
  private static func check(_ path: Substring) throws(RedirectError) {
    guard !path.contains("?") else {
      throw RedirectError("redirect_uri has a query", hint: "remove the ? and the rest")
    }
    guard !path.contains("{"), !path.contains("}") else {
      throw RedirectError("redirect_uri has braces in its path", hint: RedirectURI.hint)
    }
    guard !path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else {
      throw RedirectError("redirect_uri has . or .. in its path", hint: RedirectURI.hint)
    }
  }
}
