/// Scopes: separated by spaces where a person types them, by `;` in a configuration file.
struct ScopeList {
  let scopes: [String]

  init(_ scopes: [String]) { self.scopes = scopes }

  /// Throws where one is none by RFC 6749, section 3.3: printable ASCII without space, `"` and `\`.
  init(typed text: String) throws(CommandFailure) {
    scopes = text.split(whereSeparator: \.isWhitespace).map(String.init)
    let stranger = scopes.first { scope in
      !scope.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
    if let stranger { throw CommandFailure(status: 2, "\(stranger): not a scope", hint: "separate scopes by spaces") }
  }

  /// As a file has them.
  init(escaped text: String) {
    var items = [""]
    var isEscaped = false
    for character in text {
      if character == ";" && !isEscaped {
        items.append("")
      } else if character != "\\" || isEscaped {
        items[items.count - 1].append(character)
      }
      isEscaped = character == "\\" && !isEscaped
    }
    scopes = items.map(\.trimmed).filter { !$0.isEmpty }
  }

  var isEmpty: Bool { scopes.isEmpty }
  var typed: String { scopes.joined(separator: " ") }

  var escaped: String {
    scopes.map { $0.replacing("\\", with: "\\\\").replacing(";", with: "\\;") }.joined(separator: ";")
  }
}
