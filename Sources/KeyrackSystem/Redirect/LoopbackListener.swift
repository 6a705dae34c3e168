package import KeyrackCore
package import KeyrackProtocol

/// Listens on loopback for browsers that come back from a provider: one socket for each address family and port, for as
/// long as a redirect URI with that port is open.
package actor LoopbackListener: RedirectListener {
  private let loop: EventLoop
  private let limits: CallbackLimits
  private let receiver: AuthorizationResponseReceiver
  private var servers: [Site: CallbackServer] = [:]

  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  package init(
    on loop: EventLoop, limits: CallbackLimits = CallbackLimits(), receiver: @escaping AuthorizationResponseReceiver
  ) {
    self.loop = loop
    self.limits = limits
    self.receiver = receiver
  }

  isolated deinit { for server in servers.values { server.close() } }

  package func open(_ redirect: RedirectURI) throws(RedirectError) -> String {
    guard case .loopback(let loopback) = redirect.place else {
      throw RedirectError(
        "nobody can listen on \(redirect.text)", hint: "use keyrack login --paste, which asks for the address")
    }
    let port = try listen(for: loopback)
    let text = redirect.text(port: port)
    let path = OpenRedirect(uri: text, authority: loopback.authority(port: port), path: loopback.path)
    for family in loopback.host.families { servers[Site(family: family, port: port)]?.open(path) }
    return text
  }

  package func close(_ redirectURI: String) {
    for (site, server) in servers {
      server.close(redirectURI)
      if server.isClosed { servers[site] = nil }
    }
  }

  package nonisolated func response(
    in pasted: Secret, at redirectURI: String
  ) throws(RedirectError) -> AuthorizationResponse? {
    let address = try PastedAddress(pasted)
    return address.isOf(redirectURI) ? address.response : nil
  }

  private struct Site: Hashable {
    let family: LoopbackSocket.Family
    let port: UInt16
  }
}

extension LoopbackListener {
  /// For `localhost` the kernel chooses a port of IPv4, which may be taken in IPv6.
  private static let choices = 8

  private func listen(for loopback: RedirectURI.Loopback) throws(RedirectError) -> UInt16 {
    let ports = loopback.ports.isEmpty ? Array(repeating: 0, count: Self.choices) : loopback.ports
    for port in ports {
      do throws(LoopbackSocket.Failure) { return try listen(on: loopback.host, port) } catch {
        switch error {
        case .portInUse: continue
        case .noFamily: throw RedirectError("this machine has no \(loopback.host.rawValue)")
        case .failed(let error): throw RedirectError(error.message)
        }
      }
    }
    throw Self.allInUse(loopback)
  }

  private static func allInUse(_ loopback: RedirectURI.Loopback) -> RedirectError {
    let names = loopback.ports.map { String($0) }.joined(separator: ", ")
    let what = loopback.ports.count == 1 ? "port \(names) of" : names.isEmpty ? "every port of" : "ports \(names) of"
    return RedirectError(
      "could not listen on \(what) \(loopback.host.rawValue): address in use",
      hint: "end the program that uses it (ss -ltnp shows which), or use keyrack login --paste")
  }

  /// All families of the host, or none.
  private func listen(on host: RedirectURI.Host, _ port: UInt16) throws(LoopbackSocket.Failure) -> UInt16 {
    var port = port
    var made: [Site] = []
    for family in host.families where servers[Site(family: family, port: port)] == nil {
      do {
        let server = try CallbackServer(on: loop, family, port: port, limits: limits, receiver: receiver)
        port = server.port
        made.append(Site(family: family, port: port))
        servers[Site(family: family, port: port)] = server
      } catch LoopbackSocket.Failure.noFamily where host == .localhost && family == .ipv6 {
        // Then no browser finds it there either.
        continue
      } catch {
        for site in made { servers.removeValue(forKey: site)?.close() }
        throw error
      }
    }
    return port
  }
}

extension RedirectURI.Host {
  fileprivate var families: [LoopbackSocket.Family] {
    switch self {
    case .ipv4: [.ipv4]
    case .ipv6: [.ipv6]
    case .localhost: LoopbackSocket.Family.allCases
    }
  }
}
