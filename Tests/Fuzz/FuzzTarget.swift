/// What is given any bytes at all. The rest of a process, and of other tests, it must not change.
enum FuzzTarget: String, CaseIterable, Sendable {
  /// Lines of the socket.
  case request
  /// Answers of providers.
  case answer
  /// What comes by way of a browser.
  case callback
  /// id_tokens, their claims, and the keys for them.
  case idtoken
  case configuration
  /// What an item of the keyring holds.
  case record

  /// Throws where something did not hold; that nothing traps is up to the process.
  func run(_ input: [UInt8]) throws {
    switch self {
    case .request: try RequestFuzz.run(input)
    case .answer: try AnswerFuzz.run(input)
    case .callback: try CallbackFuzz.run(input)
    case .idtoken: try IDTokenFuzz.run(input)
    case .configuration: try ConfigurationFuzz.run(input)
    case .record: try RecordFuzz.run(input)
    }
  }
}

/// Something that holds for every input did not.
struct Violation: Error, CustomStringConvertible {
  let description: String
}

func require(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws(Violation) {
  if !condition { throw Violation(description: otherwise()) }
}
