import KeyrackProtocol

/// A token that may stand in a header line, and whatever else such a line could be broken by.
struct BearerToken {
  let bytes: [UInt8]
  /// As it stands before the token in a header.
  private let type: String

  /// Throws where the token, or its type, is not what RFC 6750 and RFC 9110 have in a header.
  init(_ reply: TokenOperation.Reply) throws(CommandFailure) {
    guard reply.token.bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw CommandFailure(status: 1, "\(reply.account): its token has characters that no header may have")
    }
    guard !reply.tokenType.isEmpty, reply.tokenType.utf8.allSatisfy(Self.isOfName) else {
      throw CommandFailure(status: 1, "\(reply.account): its token is of a type that no header can name")
    }
    bytes = reply.token.bytes
    // RFC 6749 has it in any case; servers that compare bytes know this one.
    type = reply.tokenType.lowercased() == "bearer" ? "Bearer" : reply.tokenType
  }

  /// Without a line feed.
  var header: [UInt8] { Array("Authorization: \(type) ".utf8) + bytes }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}
