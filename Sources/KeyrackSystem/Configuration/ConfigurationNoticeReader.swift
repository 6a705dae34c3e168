import KeyrackCore

/// Reads of the group `[keyrack]` how the person is told of changes.
struct ConfigurationNoticeReader {
  static let keys = ["on_event"]

  let group: ConfigurationGroup

  func settings() throws(ConfigurationError) -> NoticeSettings {
    NoticeSettings(command: try group.command("on_event"))
  }
}
