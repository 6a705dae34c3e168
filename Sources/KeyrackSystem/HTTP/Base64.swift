import FoundationEssentials

/// Base64 (RFC 4648, sections 4 and 5).
enum Base64 {
  static func encoded(_ bytes: [UInt8]) -> [UInt8] { Array(Data(bytes).base64EncodedData()) }

  static func unpadded(_ bytes: [UInt8]) -> [UInt8] { encoded(bytes).filter { $0 != UInt8(ascii: "=") } }

  // MARK: In the alphabet for URLs, without padding

  static func urlEncoded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    unpadded(Array(bytes)).map { byte in
      switch byte {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      default: byte
      }
    }
  }

  static func urlText(_ bytes: some Sequence<UInt8>) -> String { String(decoding: urlEncoded(bytes), as: UTF8.self) }

  /// Whether there is nothing but the alphabet, and a possible number of it.
  static func isURLEncoded(_ text: ArraySlice<UInt8>) -> Bool {
    text.count % 4 != 1
      && text.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// Nothing where the text is not valid.
  static func urlDecoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
    guard isURLEncoded(text) else { return [] }
    let usual = text.map { byte in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
    return Data(base64Encoded: Data(usual + padding)).map { Array($0) } ?? []
  }
}
