import KeyrackCore
import Synchronization

/// Does what the line says:
/// `echo TEXT`, `big COUNT` (a line of so many bytes), `length`, `count` (lines so far), `held`,
/// `who` (is asking), `hold NAME` (answered later) and `release NAME`.
final class ScriptedResponder: LineResponder {
  private let state = Mutex(State())

  private struct State {
    var count = 0
    var events: [Int: @Sendable () -> Void] = [:]
    var held: [String: @Sendable ([UInt8]) -> Void] = [:]
  }

  var lines: Int { state.withLock { $0.count } }

  /// Calls `body` on the loop's thread, in the turn of that line, before it is answered. The first is 1.
  func atLine(_ number: Int, _ body: @escaping @Sendable () -> Void) { state.withLock { $0.events[number] = body } }

  func respond(to line: [UInt8], from caller: Caller, send: AnswerSink) {
    let reply: @Sendable ([UInt8]) -> Void = { send(.reply($0)) }
    let words = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 1)
    let argument = words.count > 1 ? String(words[1]) : ""
    let event = state.withLock { state in
      state.count += 1
      return state.events[state.count]
    }
    event?()
    switch words[0] {
    case "echo": reply(Array("\(argument)\n".utf8))
    case "big": reply([UInt8](repeating: 0x78, count: Int(argument) ?? 0) + [10])
    case "length": reply(Array("\(line.count)\n".utf8))
    case "count": reply(Array("\(lines)\n".utf8))
    case "who": reply(Array("\(caller.program), by \(caller.evidence.rawValue)\n".utf8))
    case "held": reply(Array("\(state.withLock { $0.held.count })\n".utf8))
    case "hold": state.withLock { $0.held[argument] = reply }
    case "release":
      state.withLock { $0.held.removeValue(forKey: argument) }?(Array("\(argument)\n".utf8))
      reply(Array("released \(argument)\n".utf8))
    default: reply(Array("what?\n".utf8))
    }
  }
}
