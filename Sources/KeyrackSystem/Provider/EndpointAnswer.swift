import KeyrackCore

/// An object that an endpoint answered with. A member that is used and is of another type is named.
struct EndpointAnswer {
  let members: AnswerMembers
  /// Who answered, for messages.
  let name: String

  func refusal(_ what: String, hint: String? = nil) -> RequestFailure {
    .rejected(Rejection(.answer, "\(name) answered \(what)", hint: hint))
  }

  /// Nil where there is none, or nothing in it.
  func text(_ member: String) throws(RequestFailure) -> String? {
    switch members[member] {
    case .text(let text): return text.isEmpty ? nil : text
    case .null, nil: return nil
    case .number, .numbers, .texts, .object, .objects, .truth, .other: throw refusal("with a wrong \(member): no text")
    }
  }

  func required(_ member: String) throws(RequestFailure) -> String {
    guard let text = try text(member) else { throw refusal("without \(member)") }
    return text
  }

  /// Nil where there is none.
  func list(_ member: String) throws(RequestFailure) -> [String]? {
    switch members[member] {
    case .texts(let texts): return texts
    case .null, nil: return nil
    case .text, .number, .numbers, .object, .objects, .truth, .other:
      throw refusal("with a wrong \(member): no list of texts")
    }
  }

  /// False where there is none.
  func flag(_ member: String) throws(RequestFailure) -> Bool {
    switch members[member] {
    case .truth(let truth): return truth
    case .null, nil: return false
    case .text, .texts, .number, .numbers, .object, .objects, .other:
      throw refusal("with a wrong \(member): neither true nor false")
    }
  }

  /// Whole seconds, in a number or a text; nil where there is none.
  func seconds(_ member: String, in range: ClosedRange<Int>) throws(RequestFailure) -> Duration? {
    switch members[member] {
    case .null, nil: return nil
    case .text, .texts, .number, .numbers, .object, .objects, .truth, .other:
      guard let count = members.number([member]) else { throw refusal("with a wrong \(member): no number") }
      return AnswerLifetime.seconds(count, in: range)
    }
  }
}

extension TokenAnswer {
  /// Of another endpoint than that for tokens: what `read` makes of the object, or why there is none.
  func object<Answer>(
    _ response: HTTPResponse, reading read: (EndpointAnswer) throws(RequestFailure) -> Answer
  ) -> Result<Answer, RequestFailure> {
    let found = Refusal(response, habits)
    guard response.isSuccess, found.error == nil else { return .failure(RequestFailure(refusal(found))) }
    guard let members = found.members else {
      return .failure(.rejected(Rejection(.answer, "\(message(found)), which is no JSON object")))
    }
    do { return .success(try read(EndpointAnswer(members: members, name: name))) } catch { return .failure(error) }
  }
}
