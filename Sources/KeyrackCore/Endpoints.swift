package import KeyrackProtocol

/// Where a provider is asked, and what it says of that: the members of RFC 8414, section 2, that are used here.
package struct Endpoints: Sendable, Equatable, Decodable, JSONObject {
  package var authorization: String?
  package var token: String?
  package var revocation: String?
  /// RFC 8628, section 3.1.
  package var deviceAuthorization: String?
  /// RFC 9126, section 2.
  package var pushedAuthorization: String?
  package var userinfo: String?
  /// `jwks_uri`.
  package var keys: String?
  /// RFC 7591, section 3.
  package var registration: String?
  /// `authorization_response_iss_parameter_supported` (RFC 9207, section 3): a response without `iss` is not from here.
  package var promisesIssuer = false
  /// `require_pushed_authorization_requests` (RFC 9126, section 5).
  package var requiresPush = false
  /// `code_challenge_methods_supported` is there and does not name S256: no browser may be sent there.
  package var lacksS256 = false

  package init(authorization: String? = nil, token: String? = nil, revocation: String? = nil) {
    self.authorization = authorization
    self.token = token
    self.revocation = revocation
  }

  /// These, and of the others those that are missing here.
  package func completed(by others: Endpoints) -> Endpoints {
    var all = self
    all.authorization = authorization ?? others.authorization
    all.token = token ?? others.token
    all.revocation = revocation ?? others.revocation
    all.deviceAuthorization = deviceAuthorization ?? others.deviceAuthorization
    all.pushedAuthorization = pushedAuthorization ?? others.pushedAuthorization
    all.userinfo = userinfo ?? others.userinfo
    all.keys = keys ?? others.keys
    all.registration = registration ?? others.registration
    all.promisesIssuer = promisesIssuer || others.promisesIssuer
    all.requiresPush = requiresPush || others.requiresPush
    all.lacksS256 = lacksS256 || others.lacksS256
    return all
  }

  package func write(to object: inout JSONObjectWriter) {
    object.member("authorization", authorization)
    object.member("token", token)
    object.member("revocation", revocation)
    object.member("deviceAuthorization", deviceAuthorization)
    object.member("pushedAuthorization", pushedAuthorization)
    object.member("userinfo", userinfo)
    object.member("keys", keys)
    object.member("registration", registration)
    object.member("promisesIssuer", promisesIssuer)
    object.member("requiresPush", requiresPush)
    object.member("lacksS256", lacksS256)
  }
}
