import FoundationEssentials
import KeyrackProtocol

/// The members of an endpoint's answer: a JSON object or, from providers of old, a form.
struct AnswerMembers {
  private let members: any MemberSource
  /// Of a JSON object that is in no other, for what the decoder cannot represent.
  private let text: [UInt8]

  private init(members: any MemberSource, text: [UInt8]) {
    self.members = members
    self.text = text
  }

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
        ["access_token", "refresh_token", "device_code", "error"].contains(where: { form[$0] != nil })
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

  /// The first of these members that says a number, in whatever shape.
  func number(_ names: [String]) -> Double? {
    for name in names {
      if let number = number(name) { return number }
    }
    return nil
  }

  private func number(_ name: String) -> Double? {
    switch self[name] {
    case .number(let number): number
    case .text(let text): AnswerLifetime.number(text)
    case .other: literal(name).flatMap { AnswerLifetime.number($0) }
    case .texts, .numbers, .object, .objects, .truth, .null, nil: nil
    }
  }

  /// The numbers in a list, none where it is no list of numbers.
  func numbers(_ name: String) -> [Double] {
    switch self[name] {
    case .numbers(let numbers): numbers
    case .texts(let texts): texts.compactMap { AnswerLifetime.number($0) }
    default: []
    }
  }

  /// The members of the object that these members, each in the one before, lead to; nil where they lead nowhere.
  func inner(_ path: [String]) -> AnswerMembers? {
    var inner = members
    for name in path {
      guard let next = inner.object(name) else { return nil }
      inner = next
    }
    return AnswerMembers(members: inner, text: path.isEmpty ? text : [])
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
  func object(_ name: String) -> (any MemberSource)?
}

extension [String: String]: MemberSource {
  fileprivate func value(_ name: String) -> AnswerValue? { self[name].map { .text($0) } }
  fileprivate func object(_ name: String) -> (any MemberSource)? { nil }
}

/// An object whose members are decoded when they are asked for: a hundred thousand others cost nothing.
private struct JSONMembers: MemberSource, Decodable {
  private let container: KeyedDecodingContainer<MemberName>

  init(from decoder: any Decoder) throws { container = try decoder.container(keyedBy: MemberName.self) }

  func value(_ name: String) -> AnswerValue? {
    try? container.decodeIfPresent(AnswerValue.self, forKey: MemberName(stringValue: name))
  }

  func object(_ name: String) -> (any MemberSource)? {
    try? container.decodeIfPresent(JSONMembers.self, forKey: MemberName(stringValue: name))
  }
}
