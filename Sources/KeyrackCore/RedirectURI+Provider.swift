extension RedirectURI {
  /// That of a provider. The usual one has a path of its own for each provider: what one provider sends to the place of
  /// another is seen to be wrong (RFC 8252, section 8.10).
  package init(of provider: Provider) throws(RedirectError) {
    guard case .oauth(let oauth) = provider.kind else { throw RedirectError("its provider knows no browser") }
    try self.init(
      oauth.redirectURI ?? "http://127.0.0.1:{port}/callback/\(provider.name)", ports: oauth.redirectPorts)
  }

  /// For a browser on another machine, which finds nobody there: the person copies the address.
  package var pasteText: String {
    switch place {
    case .pasted: text
    case .loopback(let loopback): text(port: loopback.ports.first ?? .random(in: 49_152...65_535))
    }
  }

  /// For the registration of a client: a loopback redirect is registered without a port and good for any (RFC 8252, section
  /// 7.3).
  package var registered: [String] { [text.replacing(":{port}", with: "")] }
}
