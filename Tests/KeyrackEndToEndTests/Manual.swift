import Foundation

/// A page of the manual, in mdoc, as far as it can be compared with the programs.
struct Manual {
  let text: String

  /// Such as `keyrack.conf.5`.
  init(_ name: String) throws {
    text = try String(contentsOf: Self.checkout.appending(path: "man/\(name)"), encoding: .utf8)
  }

  static var checkout: URL {
    (0..<3).reduce(URL(filePath: #filePath)) { path, _ in path.deletingLastPathComponent() }
  }

  /// The titles of the subsections of a section, with their lines, in order.
  func subsections(of section: String) -> [(title: String, lines: [Substring])] {
    var parts: [(title: String, lines: [Substring])] = []
    for line in lines(of: section) {
      if line.hasPrefix(".Ss ") {
        parts.append((String(line.dropFirst(4)), []))
      } else if !parts.isEmpty {
        parts[parts.count - 1].lines.append(line)
      }
    }
    return parts
  }

  func subsection(_ title: String, of section: String) -> [Substring] {
    subsections(of: section).first { $0.title == title }?.lines ?? []
  }

  func lines(of section: String) -> [Substring] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let start = lines.firstIndex(of: ".Sh \(section)") else { return [] }
    return Array(lines[(start + 1)...].prefix { !$0.hasPrefix(".Sh ") })
  }

  /// What the items of lists name after a macro: `.It Cm issuer , discovery` has two.
  static func items(_ macro: String, in lines: [Substring]) -> [String] {
    lines.filter { $0.hasPrefix(".It \(macro) ") }.flatMap { line in
      line.dropFirst(4).replacing(#/ (Ar|Ns) .*/#, with: "").replacing("\(macro) ", with: "")
        .matches(of: /[a-z0-9_-]+/).map { String($0.0) }
    }
  }
}
