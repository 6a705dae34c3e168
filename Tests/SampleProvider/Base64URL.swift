import FoundationEssentials

/// Text of bytes for URLs and tokens (RFC 4648, section 5), without padding.
enum Base64URL {
  static func text(_ bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Text that nobody guesses.
  static func random(_ prefix: String = "") -> String {
    prefix + text((0..<24).map { _ in UInt8.random(in: 0...255) })
  }
}
