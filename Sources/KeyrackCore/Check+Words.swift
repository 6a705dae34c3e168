import KeyrackProtocol

// People paste what is in a check: it passes through here.
extension Check {
  static func ok(_ name: String, _ message: String) -> Check { Check(.ok, name, message.withoutQueries) }

  static func warn(_ name: String, _ message: String, hint: String?) -> Check {
    Check(.warn, name, message.withoutQueries, hint: hint?.withoutQueries)
  }

  static func fail(_ name: String, _ message: String, hint: String?) -> Check {
    Check(.fail, name, message.withoutQueries, hint: hint?.withoutQueries)
  }
}

extension String {
  /// Without what follows the path of each URL in it: that may be a code.
  var withoutQueries: String {
    split(separator: " ", omittingEmptySubsequences: false).map { word in
      guard word.contains("://"), let mark = word.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return word }
      return word[..<mark]
    }.joined(separator: " ")
  }
}
