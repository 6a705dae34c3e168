import KeyrackCore

/// The error that an answer names, in any of the places where providers put it. Untrusted text.
struct AnswerError {
  let code: String
  /// A second code, that says more: Microsoft's `suberror`, Google's `error_subtype`.
  let detail: String?
  let description: String?
  /// Microsoft's numbers, in their order.
  let numbers: [Int]
  /// What the provider's support asks for: Microsoft's ids of this one answer.
  let traces: [(name: String, id: String)]

  /// Of an answer that is no success a bare `code` names the error, too.
  init?(_ members: AnswerMembers, isFailure: Bool = false) {
    guard let (code, description) = Self.named(members, isFailure: isFailure) else { return nil }
    self.code = code
    self.description = description ?? members.text(Self.descriptions)
    detail = members.text(["suberror", "error_subtype"])
    numbers = members.numbers("error_codes").prefix(8).compactMap { Int(exactly: $0) }
    traces = ["trace_id", "correlation_id"].compactMap { name in members.text([name]).map { (name, $0) } }
  }

  /// Members that explain, with or without an error beside them.
  static let descriptions = ["error_description", "message", "error_message", "detail"]

  private typealias Named = (code: String, description: String?)

  private static func named(_ members: AnswerMembers, isFailure: Bool) -> Named? {
    switch members["error"] ?? members["errors"] {
    case .text(let code) where !code.isEmpty: return (code, nil)
    case .number(let number): return (String(describing: number), nil)
    case .texts(let codes) where !codes.isEmpty: return (codes[0], nil)
    case .object(let error): return named(error)
    case .objects(let errors) where !errors.isEmpty: return named(errors[0])
    case .text, .texts, .objects, .numbers, .truth, .null, .other, nil:
      return isFailure ? members.text(["code"]).map { ($0, nil) } : nil
    }
  }

  /// Facebook's and Fitbit's way.
  private static func named(_ error: [String: String]) -> Named {
    let codes = ["error", "code", "type", "errorType", "status"].compactMap { error[$0] }
    return (
      codes.first { ErrorMeaning.of($0) != nil } ?? codes.first ?? "error",
      descriptions.compactMap { error[$0] }.first
    )
  }

  // MARK: What it means

  /// Nil for a code that nobody has heard of: then the status counts.
  func meaning(_ habits: ProviderHabits) -> ErrorMeaning? {
    if let own = configured(habits) { return own }
    let meaning = ErrorMeaning.of(code) ?? detail.flatMap { ErrorMeaning.ofDetail($0) }
    guard case .grant = meaning else { return meaning }
    // What the numbers or the detail say is only why.
    if let reason = numbers.lazy.compactMap({ MicrosoftError.known[$0]?.reason }).first { return .grant(reason) }
    if case .grant(let reason) = detail.flatMap({ ErrorMeaning.ofDetail($0) }) { return .grant(reason) }
    return meaning
  }

  /// What the configuration says that it means.
  func configured(_ habits: ProviderHabits) -> ErrorMeaning? {
    [detail, code].lazy.compactMap { $0.flatMap { habits.errorClasses[$0] } }.first.map { ErrorMeaning($0) }
  }

  /// What to do about it, where anybody knows; the most particular of all.
  func hint(_ habits: ProviderHabits) -> String? {
    let codes = numbers.map { "AADSTS\($0)" } + [detail, code].compactMap { $0 }
    return codes.lazy.compactMap { habits.hints[$0] }.first
      ?? numbers.lazy.compactMap { MicrosoftError.known[$0]?.hint }.first
  }
}
