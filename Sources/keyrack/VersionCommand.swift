import KeyrackClient
import KeyrackProtocol

/// `keyrack version`: works without a daemon, which is when people ask.
enum VersionCommand {
  static func run(json: Bool) throws -> Int32 {
    if !json { try Output.data("keyrack \(Keyrack.version)\n") }
    do {
      return try Call.perform(VersionOperation(), json: json) { reply in
        try Output.data("\(reply.name) \(reply.version)".printable + "\n")
        guard reply.version != Keyrack.version else { return }
        Output.warning("these are different versions; \(CheckCommand.restart)")
      }
    } catch ClientError.notRunning where !json {
      Output.note("keyrackd: not running")
      return 0
    } catch ClientError.unknownSocket where !json {
      Output.note("keyrackd: not running")
      return 0
    }
  }
}
