import KeyrackProtocol

// Questions of more than one kind. Ctrl-C, and the end of input, end the program at each of them.
extension Terminal {
  /// A line of text without the space at its ends. An empty one stands for the default, and is asked for again where
  /// there is none.
  func text(_ question: String, default usual: String? = nil) throws(CommandFailure) -> String {
    let prompt = usual.map { $0.isEmpty ? "\(question): " : "\(question) [\($0)]: " } ?? "\(question): "
    while true {
      let typed = try answer(to: prompt, showing: true)
      guard let text = String(validating: typed, as: UTF8.self)?.trimmed, text == text.printable else {
        Output.note("that has characters in it which do not belong there")
        continue
      }
      if let answer = text.isEmpty ? usual : text { return answer }
    }
  }

  /// What is not shown while it is typed; nil where nothing was.
  func secret(_ question: String) throws(CommandFailure) -> Secret? {
    let typed = try answer(to: "\(question): ", showing: false)
    do { _ = try UTF8Span(validating: typed.span) } catch {
      throw CommandFailure(status: 1, "what was typed is not UTF-8")
    }
    return typed.isEmpty ? nil : Secret(typed)
  }

  /// No, unless the person says yes.
  func confirm(_ question: String) throws(CommandFailure) -> Bool {
    let answer = String(decoding: try answer(to: "\(question) [y/N] ", showing: true), as: UTF8.self)
    return ["y", "yes"].contains(answer.trimmed.lowercased())
  }

  private func answer(to prompt: String, showing: Bool) throws(CommandFailure) -> [UInt8] {
    guard let answer = try line(prompt.printable, showing: showing) else {
      throw CommandFailure(status: 1, "nothing was changed: the input ended")
    }
    return answer
  }
}
