import FoundationEssentials

/// A change of state that ``SubscribeOperation`` tells of: one a change, not one an attempt. Never a secret.
public struct SessionEvent: Decodable, JSONObject, Sendable, Hashable {
  public enum Kind: String, Sendable, Decodable, CaseIterable {
    case login, logout, refreshed
    /// The session cannot be refreshed for now; `reason` is its state.
    case refreshFailed = "refresh_failed"
    case loginRequired = "login_required"
    /// What had failed works again.
    case recovered
    /// The refresh token soon ends.
    case expiring
    /// Of the keyring; `reason` is its state.
    case keyring
    /// The configuration was read again.
    case config
  }

  public let event: Kind
  /// Nil where it concerns none in particular.
  public let account: String?
  /// Unix seconds.
  public let at: Int
  public let reason: String?

  public init(_ event: Kind, account: String? = nil, at: Int, reason: String? = nil) {
    self.event = event
    self.account = account
    self.at = at
    self.reason = reason
  }

  public func write(to object: inout JSONObjectWriter) {
    object.member("event", event)
    if let account { object.member("account", account) }
    object.member("at", at)
    if let reason { object.member("reason", reason) }
  }

  /// The event line, with its line feed, for the request with that id.
  package func line(id: RequestID?) -> [UInt8] {
    var line = JSONObjectWriter.text(of: Line(id: id, event: self))
    line.append(UInt8(ascii: "\n"))
    return line
  }

  /// Nil for a line that is none of these.
  package init?(line: [UInt8]) {
    guard let event = try? JSONDecoder().decode(Self.self, from: Data(line)) else { return nil }
    self = event
  }

  private struct Line: JSONObject {
    let id: RequestID?
    let event: SessionEvent

    func write(to object: inout JSONObjectWriter) {
      object.member(id: id)
      event.write(to: &object)
    }
  }
}
