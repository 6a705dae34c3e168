import KeyrackCore

/// Reads of the group `[keyrack]` how the person is told of changes.
struct ConfigurationNoticeReader {
  static let keys = ["on_event", "notify", "notify_interval"]
  /// Thirty days.
  private static let longestInterval = 2_592_000

  let group: ConfigurationGroup

  func settings() throws(ConfigurationError) -> NoticeSettings {
    var settings = NoticeSettings(command: try group.command("on_event"))
    if let isShown = try group.boolean("notify") { settings.isShown = isShown }
    if let seconds = try group.number("notify_interval", in: 0...Self.longestInterval) {
      settings.interval = seconds > 0 ? .seconds(seconds) : nil
    }
    return settings
  }
}
