import CQRencode

/// A text as a QR code (ISO/IEC 18004) in the characters of a terminal, two rows of it in one line.
struct QRCode {
  let lines: [String]

  /// Nil where the text is too long for one that fits a terminal.
  init?(_ text: String) {
    guard let code = unsafe QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else { return nil }
    defer { unsafe QRcode_free(code) }
    let width = Int(unsafe code.pointee.width)
    guard width <= 77, let data = unsafe code.pointee.data else { return nil }
    let margin = 2
    // Light modules are drawn: terminals are dark, and a light one shows it inverted, which readers take as well.
    func isLight(_ row: Int, _ column: Int) -> Bool {
      guard (0..<width).contains(row), (0..<width).contains(column) else { return true }
      return unsafe data[row * width + column] & 1 == 0
    }
    lines = stride(from: -margin, to: width + margin, by: 2).map { row in
      String(
        (-margin..<width + margin).map { column in
          switch (isLight(row, column), isLight(row + 1, column)) {
          case (true, true): "\u{2588}"
          case (true, false): "\u{2580}"
          case (false, true): "\u{2584}"
          case (false, false): " "
          }
        })
    }
  }
}
