import FoundationEssentials

/// What a sign-in that is under way asks of the person: a line with `event` before the reply.
public enum LoginEvent: Sendable, Hashable {
  /// To be opened in a browser.
  case authorize(Authorize)
  /// RFC 8628, section 3.3.
  case device(Device)

  public struct Authorize: Decodable, JSONObject, Sendable, Hashable {
    public let url: String
    /// Unix seconds.
    public let expiresAt: Int

    enum CodingKeys: String, CodingKey {
      case url
      case expiresAt = "expires_at"
    }

    public init(url: String, expiresAt: Int) {
      self.url = url
      self.expiresAt = expiresAt
    }

    public func write(to object: inout JSONObjectWriter) {
      object.member("event", "authorize")
      object.member("url", url)
      object.member("expires_at", expiresAt)
    }
  }

  public struct Device: Decodable, JSONObject, Sendable, Hashable {
    public let verificationURI: String
    public let userCode: String
    /// With the code in it; nil where the provider gives none.
    public let verificationURIComplete: String?
    /// Unix seconds.
    public let expiresAt: Int

    enum CodingKeys: String, CodingKey {
      case verificationURI = "verification_uri"
      case userCode = "user_code"
      case verificationURIComplete = "verification_uri_complete"
      case expiresAt = "expires_at"
    }

    public init(verificationURI: String, userCode: String, verificationURIComplete: String?, expiresAt: Int) {
      self.verificationURI = verificationURI
      self.userCode = userCode
      self.verificationURIComplete = verificationURIComplete
      self.expiresAt = expiresAt
    }

    public func write(to object: inout JSONObjectWriter) {
      object.member("event", "device")
      object.member("verification_uri", verificationURI)
      object.member("user_code", userCode)
      object.member("verification_uri_complete", verificationURIComplete)
      object.member("expires_at", expiresAt)
    }
  }

  /// The event line, with its line feed, for the request with that id.
  package func line(id: RequestID?) -> [UInt8] {
    var line = JSONObjectWriter.text(of: Line(id: id, event: self))
    line.append(UInt8(ascii: "\n"))
    return line
  }

  /// Nil for a line that is none of these.
  package init?(line: [UInt8]) {
    let decoder = JSONDecoder()
    let data = Data(line)
    switch (try? decoder.decode(Name.self, from: data))?.event {
    case "authorize":
      guard let event = try? decoder.decode(Authorize.self, from: data) else { return nil }
      self = .authorize(event)
    case "device":
      guard let event = try? decoder.decode(Device.self, from: data) else { return nil }
      self = .device(event)
    default: return nil
    }
  }

  private struct Name: Decodable { let event: String }

  private struct Line: JSONObject {
    let id: RequestID?
    let event: LoginEvent

    func write(to object: inout JSONObjectWriter) {
      object.member(id: id)
      switch event {
      case .authorize(let authorize): authorize.write(to: &object)
      case .device(let device): device.write(to: &object)
      }
    }
  }
}
