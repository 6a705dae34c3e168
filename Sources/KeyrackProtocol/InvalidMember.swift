/// A member of a request whose value is of the right type and cannot be used all the same.
struct InvalidMember: Error {
  /// "MEMBER: what was expected".
  let message: String

  init(_ member: some CodingKey, _ expected: String) { self.init([member], expected) }

  init(_ path: [any CodingKey], _ expected: String) {
    message = "\(path.map(\.stringValue).joined(separator: ".")): \(expected)"
  }
}

/// The value of a member of a request that has only a few.
public protocol RequestWord: RawRepresentable<String>, CaseIterable, Decodable, Sendable {}

extension RequestWord {
  public init(from decoder: any Decoder) throws {
    let word = try decoder.singleValueContainer().decode(String.self)
    guard let value = Self(rawValue: word) else {
      let words = Self.allCases.map(\.rawValue).joined(separator: ", ")
      throw InvalidMember(decoder.codingPath, "\"\(word.excerpt)\" is not one of \(words)")
    }
    self = value
  }
}
