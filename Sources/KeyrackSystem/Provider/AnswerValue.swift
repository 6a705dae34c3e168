import FoundationEssentials

/// A member of a provider's answer, whatever it is. Decoding one never fails, so that no member spoils another.
enum AnswerValue: Decodable, Equatable {
  case text(String)
  case number(Double)
  case texts([String])
  case numbers([Double])
  /// The texts in an object.
  case object([String: String])
  case objects([[String: String]])
  case truth(Bool)
  case null
  /// A mixed array, a number that is none for Foundation.
  case other

  init(from decoder: any Decoder) {
    self = Self.single(decoder) ?? .other
  }

  private static func single(_ decoder: any Decoder) -> AnswerValue? {
    guard let value = try? decoder.singleValueContainer() else { return nil }
    if value.decodeNil() { return .null }
    if let text = try? value.decode(String.self) { return .text(text) }
    if let number = try? value.decode(Double.self) { return .number(number) }
    if let truth = try? value.decode(Bool.self) { return .truth(truth) }
    if let object = try? value.decode(Texts.self) { return .object(object.members) }
    return (try? decoder.unkeyedContainer()).flatMap { list($0) }
  }

  private static func list(_ elements: any UnkeyedDecodingContainer) -> AnswerValue? {
    if let texts: [String] = all(elements) { return .texts(texts) }
    if let numbers: [Double] = all(elements) { return .numbers(numbers) }
    if let objects: [Texts] = all(elements) { return .objects(objects.map(\.members)) }
    return nil
  }

  /// Nil where one is something else, or where there are too many to make sense.
  private static func all<T: Decodable>(_ elements: any UnkeyedDecodingContainer) -> [T]? {
    var elements = elements
    var result: [T] = []
    while !elements.isAtEnd {
      guard result.count < maximumCount, let element = try? elements.decode(T.self) else { return nil }
      result.append(element)
    }
    return result
  }

  private static let maximumCount = 1000
}

/// The members of an object that are text; numbers count as such, others are left out.
private struct Texts: Decodable {
  var members: [String: String] = [:]

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: MemberName.self)
    for name in container.allKeys {
      if let text = try? container.decode(String.self, forKey: name) {
        members[name.stringValue] = text
      } else if let number = try? container.decode(Int.self, forKey: name) {
        members[name.stringValue] = String(number)
      }
    }
  }
}

/// Any member's name.
struct MemberName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
