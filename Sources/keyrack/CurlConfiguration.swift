/// What curl is told before the words of its command line.
struct CurlConfiguration {
  let text: [UInt8]

  /// `arguments`: those of curl, for the addresses among them.
  init(token: BearerToken, arguments: [String]) {
    var lines = [#"proto-default = "https""#, "no-netrc"]
    if Self.areOfThisMachine(arguments) {
      // A proxy would see the token.
      lines += [#"proto = "=https,http""#, #"noproxy = "localhost,127.0.0.1,::1""#]
    } else {
      lines.append(#"proto = "=https""#)
    }
    let start = lines.map { $0 + "\n" }.joined() + #"oauth2-bearer = ""#
    text = Array(start.utf8) + Self.quoted(token.bytes) + Array("\"\n".utf8)
  }

  /// Whether there is an address without encryption, and all such are of this machine.
  private static func areOfThisMachine(_ arguments: [String]) -> Bool {
    let addresses = arguments.filter { $0.lowercased().hasPrefix("http://") }
    return !addresses.isEmpty && addresses.allSatisfy { hosts.contains(host(of: $0.lowercased())) }
  }

  private static let hosts: Set<Substring> = ["localhost", "127.0.0.1", "[::1]"]

  /// The host of an `http://` address; whatever is not plainly one is none of ours.
  private static func host(of address: String) -> Substring {
    let authority = address.dropFirst("http://".count).prefix { !"/?#".contains($0) }
    if authority.hasPrefix("[") {
      let end = authority.firstIndex(of: "]").map { authority.index(after: $0) } ?? authority.endIndex
      return authority[end...].first.map { $0 == ":" } ?? true ? authority[..<end] : ""
    }
    let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
    // No name, no password, no pattern of curl's.
    return parts.count <= 2 && !authority.contains("@") ? parts[0] : ""
  }

  /// For between double quotes.
  private static func quoted(_ bytes: [UInt8]) -> [UInt8] {
    bytes.flatMap { byte in
      byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "\"") ? [UInt8(ascii: "\\"), byte] : [byte]
    }
  }
}
