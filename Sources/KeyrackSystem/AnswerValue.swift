import FoundationEssentials

/// A member of a provider's answer, whatever it is. Decoding one never fails, so that no member spoils another.
enum AnswerValue: Decodable, Equatable {
  case text(String)
  case number(Double)
  case texts([String])
  /// The texts in an object.
  case object([String: String])
  case objects([[String: String]])
  case null
  /// A boolean, a mixed array, a number that is none for Foundation.
  case other

  init(from decoder: any Decoder) {
    self = Self.single(decoder) ?? .other
  }

  private static func single(_ decoder: any Decoder) -> AnswerValue? {
    guard let value = try? decoder.singleValueContainer() else { return nil }
    if value.decodeNil() { return .null }
    if let text = try? value.decode(String.self) { return .text(text) }
    if let number = try? value.decode(Double.self) { return .number(number) }
    if let texts = try? value.decode([String].self) { return .texts(texts) }
    if let object = try? value.decode(Texts.self) { return .object(object.members) }
    if let objects = try? value.decode([Texts].self) { return .objects(objects.map(\.members)) }
    return nil
  }
}

/// The members of an object that are text; numbers count as such, others are left out.
private struct Texts: Decodable {
  var members: [String: String] = [:]

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Name.self)
    for name in container.allKeys {
      if let text = try? container.decode(String.self, forKey: name) {
        members[name.stringValue] = text
      } else if let number = try? container.decode(Int.self, forKey: name) {
        members[name.stringValue] = String(number)
      }
    }
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
