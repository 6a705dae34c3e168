import FoundationEssentials
import KeyrackProtocol

/// An event as `journalctl --output=json` prints it.
struct JournalEntry: Decodable {
  /// Microseconds since 1970.
  private let time: String
  private let message: String

  private enum CodingKeys: String, CodingKey {
    case time = "__REALTIME_TIMESTAMP"
    case message = "MESSAGE"
  }

  /// Nil for what is none. Text that is not UTF-8 comes as an array of numbers: the daemon writes none.
  init?(_ line: [UInt8]) {
    guard let entry = try? JSONDecoder().decode(Self.self, from: Data(line)) else { return nil }
    self = entry
  }

  /// A line with the local time, fit for a terminal.
  var text: String { "\(LocalTime.text((Int(time) ?? 0) / 1_000_000))  \(message.printable)\n" }
}
