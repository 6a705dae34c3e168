/// `check`: whether all is there that the daemon needs. It asks the providers and the keyring, and no person. Answered
/// whatever state the daemon is in.
public struct CheckOperation: Operation {
  public static let name = OperationName.check
  public enum CodingKeys: CodingKey, CaseIterable {}

  public struct Reply: Decodable, JSONObject, Sendable, Hashable {
    public let checks: [Check]

    public init(checks: [Check]) { self.checks = checks }

    public func write(to object: inout JSONObjectWriter) { object.member("checks", checks) }
  }

  public init() {}
  public init(from decoder: any Decoder) throws {}

  public func write(to object: inout JSONObjectWriter) {}
}

/// What was found of one thing. Fit to be shown to anybody: no secret, no code, no URL with a query.
public struct Check: Decodable, JSONObject, Sendable, Hashable {
  public enum Outcome: String, Sendable, Decodable {
    case ok
    /// It works, or it is the person's own choice.
    case warn
    /// Something does not work.
    case fail
  }

  /// What was looked at: `keyring`, `provider corp`, `account work`.
  public let name: String
  public let result: Outcome
  /// For people, without the name.
  public let message: String
  /// For people: what to type or do.
  public let hint: String?

  public init(_ result: Outcome, _ name: String, _ message: String, hint: String? = nil) {
    self.name = name
    self.result = result
    self.message = message
    self.hint = hint
  }

  public func write(to object: inout JSONObjectWriter) {
    object.member("name", name)
    object.member("result", result)
    object.member("message", message)
    object.member("hint", hint)
  }
}
