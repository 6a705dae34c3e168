import KeyrackClient
import KeyrackProtocol

/// One operation from the command line to what is printed of its reply.
enum Call {
  /// The exit status. With `json` the reply line is printed as it came, refusals too; else `present` prints it.
  static func perform<O: Operation>(
    _ operation: O, json: Bool, present: (O.Reply) throws -> Void
  ) throws -> Int32 {
    try self.present(Client().answer(to: operation), json: json, present)
  }

  /// The reply, for a command that asks more than once. Throws ``Refusal`` where the daemon refuses.
  static func reply<O: Operation>(to operation: O) throws -> Answered<O.Reply> {
    let answer = try Client().answer(to: operation)
    switch answer.result {
    case .success(let body): return Answered(line: answer.line, body: body)
    case .failure(let error): throw Refusal(line: answer.line, error: error)
    }
  }

  struct Answered<Body> {
    let line: Secret
    let body: Body
  }

  /// What the daemon refused, and the line that says so.
  struct Refusal: Error {
    let line: Secret
    let error: ReplyError
  }

  static func present<Body>(_ answer: Answer<Body>, json: Bool, _ present: (Body) throws -> Void) throws -> Int32 {
    if json {
      try Output.line(answer.line.bytes)
      guard case .failure(let error) = answer.result else { return 0 }
      return error.code.exitStatus
    }
    try present(answer.result.get())
    return 0
  }
}
