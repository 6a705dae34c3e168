import KeyrackCore

/// Reads of a group `[provider NAME]` where the browser is sent back to, exactly as it is registered there.
struct ConfigurationRedirectReader {
  static let keys = ["redirect_uri", "redirect_ports"]

  private static let loopbackHosts = ["127.0.0.1", "[::1]", "localhost"]
  private static let portMark = "{port}"
  private static let example = "write http://127.0.0.1:{port}/, as it is registered at the provider"

  let group: ConfigurationGroup

  func uri() throws(ConfigurationError) -> String? {
    guard let value = try group.string("redirect_uri") else { return nil }
    guard value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw group.failure(
        "redirect_uri", "holds a character that no URL has", hint: "copy it from where it is registered")
    }
    if value.hasPrefix("https://") {
      try requirePage(value)
    } else {
      try requireLoopback(value)
    }
    return value
  }

  /// A page elsewhere, whose address the person pastes here.
  private func requirePage(_ value: String) throws(ConfigurationError) {
    guard !value.contains(Self.portMark) else {
      throw group.failure(
        "redirect_uri", "{port} in an https URL, which this program cannot serve", hint: Self.example)
    }
    do { _ = try Endpoint(validating: value) } catch {
      throw group.failure("redirect_uri", error.message, hint: error.hint)
    }
  }

  private func requireLoopback(_ value: String) throws(ConfigurationError) {
    guard value.hasPrefix("http://") else {
      throw group.failure("redirect_uri", "neither an http nor an https URL", hint: Self.example)
    }
    let rest = value.dropFirst("http://".count)
    guard !rest.contains(where: { "?#".contains($0) }) else {
      throw group.failure("redirect_uri", "a query or a fragment has no place here", hint: Self.example)
    }
    let authority = rest.prefix { $0 != "/" }
    guard let host = Self.loopbackHosts.first(where: { authority == $0 || authority.hasPrefix($0 + ":") }) else {
      throw group.failure(
        "redirect_uri", "plain http to another host than 127.0.0.1, [::1] or localhost", hint: Self.example)
    }
    let port = authority.dropFirst(host.count + 1)
    let path = rest.dropFirst(authority.count)
    guard port == Self.portMark || ConfigurationGroup.number(port, in: 1...65_535) != nil,
      !path.contains(Self.portMark)
    else {
      throw group.failure(
        "redirect_uri", "a port, or {port} once in its place, has to follow the host", hint: Self.example)
    }
  }

  func ports(for uri: String?) throws(ConfigurationError) -> [Int] {
    var ports: [Int] = []
    for item in try group.list("redirect_ports") {
      guard let port = ConfigurationGroup.number(item, in: 1024...65_535) else {
        throw group.failure(
          "redirect_ports", "\"\(item)\" is not a whole number from 1024 to 65535",
          hint: "separate ports by \";\", as in redirect_ports=8400;8401")
      }
      guard !ports.contains(port) else {
        throw group.failure("redirect_ports", "\(port) is there twice", hint: "remove one of the two")
      }
      ports.append(port)
    }
    if let uri, !ports.isEmpty, !uri.contains(Self.portMark) {
      throw group.failure(
        "redirect_ports", "redirect_uri has no {port} that they could stand for", hint: "remove one of the two lines")
    }
    return ports
  }
}
