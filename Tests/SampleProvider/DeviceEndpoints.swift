/// RFC 8628. What the person decides, `POST /control/device` says.
extension Provider {
  mutating func answerDeviceAuthorization(_ request: HTTPRequest) -> Processed {
    guard let form = request.form else { return Self.oauthError("invalid_request") }
    guard let client = client(of: request) else { return Self.oauthError("invalid_client", .denied, status: 401) }
    let code = Base64URL.random("device_")
    let userCode = "WDJB-\(1000 + devices.count)"
    devices[code] = DeviceRequest(client: client, scope: form["scope"], userCode: userCode)
    let uri = request.issuer + "/device"
    return Processed(
      .granted,
      HTTPResponse(
        json: DeviceAnswer(
          deviceCode: code, userCode: userCode, verificationURI: uri,
          verificationURIComplete: "\(uri)?user_code=\(userCode)", expiresIn: 600, interval: DeviceRequest.interval)))
  }

  mutating func grantByDevice(_ form: [String: String], client: String) -> Processed {
    guard let code = form["device_code"], let device = devices[code], device.client == client else {
      return Self.oauthError("invalid_grant", .denied)
    }
    let isEarly = device.lastPoll.map { .now - $0 < .seconds(DeviceRequest.interval) } ?? false
    devices[code]?.lastPoll = .now
    if isEarly { return Self.oauthError("slow_down", .denied) }
    switch device.decision {
    case nil: return Self.oauthError("authorization_pending", .pending)
    case .deny: return Self.oauthError("access_denied", .denied)
    case .expire: return Self.oauthError("expired_token", .denied)
    case .approve:
      devices[code] = nil
      return Processed(
        ledger.signIn(user: settings.consentingUser, client: client, scope: device.scope, settings: settings))
    }
  }

  /// Decides for all devices that wait.
  mutating func decideDevices(_ decision: DeviceRequest.Decision) {
    for code in devices.keys { devices[code]?.decision = decision }
  }
}

/// A device that waits for a person.
struct DeviceRequest {
  /// Seconds.
  static let interval = 1

  let client: String
  let scope: String?
  let userCode: String
  /// Nil until the person decides.
  var decision: Decision?
  var lastPoll: ContinuousClock.Instant?

  enum Decision: String, Decodable {
    case approve, deny, expire
  }
}

/// Section 3.2.
private struct DeviceAnswer: Encodable {
  let deviceCode: String
  let userCode: String
  let verificationURI: String
  let verificationURIComplete: String
  let expiresIn: Int
  let interval: Int

  private enum CodingKeys: String, CodingKey {
    case deviceCode = "device_code"
    case userCode = "user_code"
    case verificationURI = "verification_uri"
    case verificationURIComplete = "verification_uri_complete"
    case expiresIn = "expires_in"
    case interval
  }
}
