extension String {
  /// Without the white space at its ends.
  var trimmed: String {
    let start = drop(while: \.isWhitespace)
    return String(start.reversed().drop(while: \.isWhitespace).reversed())
  }

  func padded(to width: Int) -> String { self + String(repeating: " ", count: Swift.max(0, width - count)) }
}
