import KeyrackProtocol

/// Where browsers were sent back to on this machine, as `redirect_uri` and `redirect_ports` have it. Around the port the
/// text is kept as it is: providers compare it byte for byte.
enum LoopbackRedirect {
  /// Of several only those count that are the first but for their port. None where there is no loopback address.
  static func settings(for uris: [String]) -> [Setting] {
    let parts = uris.compactMap(Parts.init)
    guard let first = parts.first else { return [] }
    let ports = parts.filter { $0.start == first.start && $0.end == first.end }.compactMap(\.port)
    if ports.count == 1 { return [Setting("redirect_uri", "\(first.start):\(ports[0])\(first.end)")] }
    let template = Setting("redirect_uri", "\(first.start):{port}\(first.end)")
    return ports.isEmpty ? [template] : [template, Setting("redirect_ports", ports.joined(separator: ";"))]
  }

  private struct Parts {
    let start: String
    let port: String?
    let end: String

    init?(_ uri: String) {
      let hosts = ["http://localhost", "http://127.0.0.1", "http://[::1]"]
      guard let start = hosts.first(where: uri.hasPrefix), !uri.contains(where: { "?#".contains($0) }) else {
        return nil
      }
      let rest = uri.dropFirst(start.count)
      let authority = rest.prefix { $0 != "/" }
      let port = authority.dropFirst()
      guard authority.isEmpty || authority.first == ":" && Int(port) != nil else { return nil }
      self.start = start
      self.port = port.isEmpty || port == "0" ? nil : String(port)
      end = String(rest.dropFirst(authority.count))
    }
  }
}
