/// A member of a request whose value is of the right type and cannot be used all the same.
struct InvalidMember: Error {
  /// "MEMBER: what was expected".
  let message: String

  init(_ member: some CodingKey, _ expected: String) { message = "\(member.stringValue): \(expected)" }
}
