import KeyrackCore

struct SilentLog: EventLog {
  func record(_ level: EventLevel, _ event: String, account: String?, _ message: String) {}
}
