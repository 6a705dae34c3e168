import KeyrackClient
import KeyrackProtocol

/// One operation from the command line to what is printed of its reply.
enum Call {
  /// The exit status. With `json` the reply line is printed as it came, refusals too; else `present` prints it.
  static func perform<O: Operation>(
    _ operation: O, json: Bool, present: (O.Reply) throws -> Void
  ) throws -> Int32 {
    let answer = try Client().answer(to: operation)
    if json {
      try Output.line(answer.line.bytes)
      guard case .failure(let error) = answer.result else { return 0 }
      return error.code.exitStatus
    }
    try present(answer.result.get())
    return 0
  }
}
