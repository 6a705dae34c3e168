import KeyrackCore

/// What was found where an issuer describes itself.
enum DiscoveryAnswer: Sendable {
  case found(IssuerMetadata)
  /// Not that document; the issuer may have the other.
  case absent(RequestFailure)

  static func of(
    _ response: HTTPResponse, read answer: TokenAnswer, from issuer: String, _ document: DiscoveryDocument
  ) -> Result<DiscoveryAnswer, RequestFailure> {
    let result = answer.object(response) { (object) throws(RequestFailure) in
      DiscoveryAnswer.found(try object.metadata(of: issuer, document))
    }
    guard case .failure(let failure) = result, isAbsence(response) else { return result }
    return .success(.absent(failure))
  }

  /// 404, or anything but an object from a server that is well.
  private static func isAbsence(_ response: HTTPResponse) -> Bool {
    switch response.status {
    case 404, 410: true
    case 408, 425, 429, 500...: false
    default: AnswerMembers(response) == nil
    }
  }
}

extension EndpointAnswer {
  /// RFC 8414, section 2.
  fileprivate func metadata(
    of issuer: String, _ document: DiscoveryDocument
  ) throws(RequestFailure) -> IssuerMetadata {
    try requireIssuer(issuer)
    var endpoints = Endpoints(
      authorization: try endpoint("authorization_endpoint"), token: try endpoint("token_endpoint"),
      revocation: try endpoint("revocation_endpoint"))
    endpoints.deviceAuthorization = try endpoint("device_authorization_endpoint")
    endpoints.pushedAuthorization = try endpoint("pushed_authorization_request_endpoint")
    endpoints.userinfo = try endpoint("userinfo_endpoint")
    endpoints.keys = try endpoint("jwks_uri")
    endpoints.registration = try endpoint("registration_endpoint")
    endpoints.promisesIssuer = try flag("authorization_response_iss_parameter_supported")
    endpoints.requiresPush = try flag("require_pushed_authorization_requests")
    var metadata = IssuerMetadata(issuer: issuer, discovery: document.discovery, endpoints: endpoints)
    metadata.scopes = try list("scopes_supported") ?? []
    metadata.grantTypes = try list("grant_types_supported") ?? []
    metadata.authenticationMethods = try list("token_endpoint_auth_methods_supported") ?? []
    metadata.challengeMethods = try list("code_challenge_methods_supported")
    metadata.endpoints.lacksS256 = metadata.challengeMethods.map { !$0.contains("S256") } ?? false
    return metadata
  }

  /// Identical to the byte (RFC 8414, section 3.3): without that any host could speak for any issuer. Microsoft's common
  /// endpoints answer with a template, `{tenantid}`, and are configured by their endpoints instead.
  private func requireIssuer(_ issuer: String) throws(RequestFailure) {
    let answered = try required("issuer")
    guard answered.utf8.elementsEqual(issuer.utf8) else {
      throw refusal(
        "for the issuer \(OneLine.text(answered)), not for \(OneLine.text(issuer))",
        hint: "write the issuer exactly as it calls itself, or give the endpoints one by one")
    }
  }

  /// Nil where there is none.
  private func endpoint(_ member: String) throws(RequestFailure) -> String? {
    guard let url = try text(member) else { return nil }
    do { _ = try Endpoint(validating: url) } catch {
      throw refusal("with a wrong \(member): \(OneLine.text(error.message))", hint: error.hint)
    }
    return url
  }
}
