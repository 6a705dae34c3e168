import Foundation

/// The README, as far as it can be tried.
///
/// In its examples `…` stands for any text, and in replies a time (`…_at`, `…_in`, `since`) for any other.
struct Readme {
  enum Example: Equatable {
    /// After `→` and `←`.
    case exchange(request: String, reply: String)
    /// After `$ `, with what it prints.
    case command(String, output: [String])
  }

  let text: String

  init() throws {
    text = try String(contentsOf: Manual.checkout.appending(path: "README.md"), encoding: .utf8)
  }

  /// The lines of the fenced blocks in a language, in their order.
  func blocks(_ language: String) -> [[Substring]] {
    // Text and blocks take turns.
    let parts = text.components(separatedBy: "```")
    return stride(from: 1, to: parts.count, by: 2).compactMap { index in
      let lines = parts[index].split(separator: "\n", omittingEmptySubsequences: false)
      return lines.first == language[...] ? Array(lines.dropFirst().dropLast()) : nil
    }
  }

  /// The commands, then the exchanges: each finds the accounts as the one before left them.
  var examples: [Example] {
    var examples: [Example] = []
    for line in (blocks("console") + blocks("")).joined() {
      switch (line.first, examples.last) {
      case ("$", _): examples.append(.command(String(line.dropFirst(2)), output: []))
      case ("→", _): examples.append(.exchange(request: String(line.dropFirst(2)), reply: ""))
      case ("←", .exchange(let request, _)):
        examples[examples.count - 1] = .exchange(request: request, reply: String(line.dropFirst(2)))
      case (_, .command(let command, let output)):
        examples[examples.count - 1] = .command(command, output: output + [String(line)])
      default: examples.append(.command("this line belongs to no example: \(line)", output: []))
      }
    }
    return examples
  }

  /// Whether a line that was printed is one that the README shows.
  static func shows(_ expected: String, for actual: String) -> Bool {
    let (expected, actual) = (Self.words(expected), Self.words(actual))
    guard expected.count == actual.count else { return false }
    var member = ""[...]
    return zip(expected, actual).allSatisfy { shown, printed in
      defer { if shown.first == "\"" { member = shown } }
      let isTime = member.contains(/^"([a-z]+_(at|in)|since)"$/)
      return isTime && Int(shown) != nil ? Int(printed) != nil : isLike(shown, printed)
    }
  }

  private static func isLike(_ shown: Substring, _ printed: Substring) -> Bool {
    let parts = shown.split(separator: "…", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return shown == printed }
    return printed.count > shown.count && printed.hasPrefix(parts[0]) && printed.hasSuffix(parts[1])
  }

  /// Strings with their quotes, and what stands between spaces and the marks of JSON.
  private static func words(_ line: String) -> [Substring] {
    line.matches(of: /"(\\.|[^"\\])*"|[{}\[\]:,]|[^\s{}\[\]:,"]+/).map { $0.0 }
  }
}
