import FoundationEssentials
import KeyrackProtocol

/// The members of a token endpoint's answer: a JSON object or, from providers of old, a form.
struct AnswerMembers {
  private let members: any MemberSource
  /// JSON only, for what the decoder cannot represent.
  private let text: [UInt8]

  /// Nil where the body is neither: a web page, nothing, a broken or an absurdly deep object.
  ///
  /// Duplicate members, which ``JSONScan`` refuses, are no reason to lose a refresh token.
  init?(_ response: HTTPResponse) {
    text = Self.trimmed(response.body)
    if text.first == UInt8(ascii: "{") {
      // Foundation takes NUL bytes for a sign of UTF-16.
      guard !text.contains(0), Self.depth(of: text) <= JSONScan.maximumDepth,
        let object = try? JSONDecoder().decode(JSONMembers.self, from: Data(text))
      else { return nil }
      members = object
    } else {
      guard !response.isWebPage, let form = FormEncoding.members(text),
        ["access_token", "refresh_token", "error"].contains(where: { form[$0] != nil })
      else { return nil }
      members = form
    }
  }

  subscript(name: String) -> AnswerValue? { members.value(name) }

  /// The first of these members that is a text with something in it.
  func text(_ names: [String]) -> String? {
    for name in names {
      if case .text(let text)? = self[name], !text.isEmpty { return text }
    }
    return nil
  }

  /// The first of these members that says a number of seconds, see ``AnswerLifetime``.
  func lifetime(_ names: [String]) -> Duration? {
    for name in names {
      if let lifetime = lifetime(name) { return lifetime }
    }
    return nil
  }

  private func lifetime(_ name: String) -> Duration? {
    switch self[name] {
    case .number(let seconds): AnswerLifetime.duration(seconds)
    case .text(let text): AnswerLifetime.duration(text)
    case .other: literal(name).flatMap { AnswerLifetime.duration($0) }
    case .texts, .object, .objects, .null, nil: nil
    }
  }

  /// The characters of a value that is a number too large for Foundation.
  private func literal(_ name: String) -> String? {
    guard let start = (try? JSONScan(text))?.members.first(where: { $0.name == name })?.valueStart else { return nil }
    let ends = Array(", }\t\r\n".utf8)
    return String(decoding: text[start...].prefix { !ends.contains($0) }, as: UTF8.self)
  }

  /// Without a byte order mark and white space around it.
  private static func trimmed(_ body: [UInt8]) -> [UInt8] {
    let isInk: (UInt8) -> Bool = { !" \t\r\n".utf8.contains($0) }
    let text = body.starts(with: [0xEF, 0xBB, 0xBF]) ? body.dropFirst(3) : body[...]
    guard let first = text.firstIndex(where: isInk), let last = text.lastIndex(where: isInk) else { return [] }
    return Array(text[first...last])
  }

  /// The deepest nesting of brackets outside of strings.
  private static func depth(of text: [UInt8]) -> Int {
    var depth = 0
    var deepest = 0
    var isInString = false
    var isEscaped = false
    for byte in text {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\"): isEscaped = isInString
      case UInt8(ascii: "\""): isInString.toggle()
      case _ where isInString: break
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
      deepest = max(deepest, depth)
    }
    return deepest
  }
}

/// Where members come from.
private protocol MemberSource {
  func value(_ name: String) -> AnswerValue?
}

extension [String: String]: MemberSource {
  fileprivate func value(_ name: String) -> AnswerValue? { self[name].map { .text($0) } }
}

/// An object whose members are decoded when they are asked for: a hundred thousand others cost nothing.
private struct JSONMembers: MemberSource, Decodable {
  private let container: KeyedDecodingContainer<MemberName>

  init(from decoder: any Decoder) throws { container = try decoder.container(keyedBy: MemberName.self) }

  func value(_ name: String) -> AnswerValue? {
    try? container.decodeIfPresent(AnswerValue.self, forKey: MemberName(stringValue: name))
  }
}

extension HTTPResponse {
  /// A page for people: from a captive portal, a proxy, a web server.
  var isWebPage: Bool {
    if let type = contentType?.lowercased(), type.hasPrefix("text/html") || type.hasPrefix("application/xhtml") {
      return true
    }
    return body.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "<")
  }
}
