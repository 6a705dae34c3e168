import KeyrackCore
import Synchronization

/// Keeps what a command was told, as "COMMAND LINE" without times.
final class FakeHook: EventHook {
  private let all = Mutex<[String]>([])

  func tell(_ line: [UInt8], to command: String) {
    let text = String(decoding: line, as: UTF8.self).replacing(#/,"at":\d+/#, with: "")
    all.withLock { $0.append("\(command) \(text)") }
  }

  /// What has come since the last call.
  func told() async -> [String] {
    await QueueExecutor.shared.settle()
    return all.withLock { told in
      defer { told = [] }
      return told
    }
  }
}
