import CJOSE

/// Base64 for URLs without padding (RFC 7515, section 2), by cjose.
enum Base64URL {
  /// Whether there is nothing but the alphabet, and a possible number of it. cjose also takes padding.
  static func isValid(_ text: ArraySlice<UInt8>) -> Bool {
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
  static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
    guard isValid(text), !text.isEmpty else { return [] }
    var output: UnsafeMutablePointer<UInt8>?
    var count = 0
    let isDecoded = unsafe text.withUnsafeBytes { bytes in
      unsafe cjose_base64url_decode(
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, &output, &count, nil)
    }
    defer { unsafe cjose_get_dealloc()(output) }
    guard isDecoded, let start = unsafe output else { return [] }
    return unsafe Array(UnsafeBufferPointer(start: start, count: count))
  }

  static func encoded(_ bytes: some Sequence<UInt8>) -> String {
    let bytes = Array(bytes)
    var output: UnsafeMutablePointer<CChar>?
    var count = 0
    let isEncoded = unsafe bytes.withUnsafeBufferPointer {
      unsafe cjose_base64url_encode($0.baseAddress, $0.count, &output, &count, nil)
    }
    defer { unsafe cjose_get_dealloc()(output) }
    guard isEncoded, let start = unsafe output else { return "" }
    return unsafe String(
      decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
  }
}
