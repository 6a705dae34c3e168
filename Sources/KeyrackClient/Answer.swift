public import KeyrackProtocol

/// What the daemon answered to one operation.
public struct Answer<Body: Decodable & JSONObject & Sendable>: Sendable {
  /// The line as it came, without its line feed. It may hold a token.
  public let line: Secret
  /// The same, read.
  public let result: Result<Body, ReplyError>
}
