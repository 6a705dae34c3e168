extension String {
  /// As much of a client's text as a message repeats. In scalars: one character can be as long as a line.
  package var excerpt: String { String(unicodeScalars.prefix(64)) }
}
