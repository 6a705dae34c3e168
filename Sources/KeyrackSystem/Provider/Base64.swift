import FoundationEssentials

/// Base64 (RFC 4648, sections 4 and 5).
enum Base64 {
  static func encoded(_ bytes: [UInt8]) -> [UInt8] { Array(Data(bytes).base64EncodedData()) }

  /// In the alphabet for URLs, without padding.
  static func urlEncoded(_ bytes: [UInt8]) -> [UInt8] {
    unpadded(bytes).map { byte in
      switch byte {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      default: byte
      }
    }
  }

  static func unpadded(_ bytes: [UInt8]) -> [UInt8] { encoded(bytes).filter { $0 != UInt8(ascii: "=") } }
}
