import KeyrackProtocol

/// How a request says which client it is from, and proves it: by one method, never two (RFC 6749, section 2.3).
struct ClientCredentials: Sendable {
  enum Proof: Sendable {
    case none
    /// `client_secret` in the body.
    case secret(Secret)
    /// The secret, in the header.
    case basic(Secret)
    /// A JWT in the body (RFC 7523, section 2.2).
    case assertion(Secret)
  }

  let clientID: String
  let proof: Proof

  /// Of the body, the client's name included.
  var members: [(String, Secret)] {
    switch proof {
    // The header names the client.
    case .basic: []
    case .none, .secret, .assertion: [("client_id", Secret(clientID))] + proofMembers
    }
  }

  /// Of the body, for a request that names the client anyway.
  var proofMembers: [(String, Secret)] {
    switch proof {
    case .none, .basic: []
    case .secret(let secret): [("client_secret", secret)]
    case .assertion(let assertion):
      [("client_assertion_type", Secret(Self.assertionType)), ("client_assertion", assertion)]
    }
  }

  var authorization: HTTPRequest.Authorization? {
    switch proof {
    case .none, .secret, .assertion: nil
    case .basic(let secret): .basic(header(secret))
    }
  }

  /// To be kept out of messages.
  var secrets: [Secret] {
    switch proof {
    case .none: []
    case .secret(let secret), .assertion(let secret): [secret]
    case .basic(let secret): [secret, header(secret)]
    }
  }

  private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

  /// Each half is form-encoded, so that a colon in one does not end it (RFC 6749, section 2.3.1).
  private func header(_ secret: Secret) -> Secret {
    let halves = [Secret(clientID), secret].map { FormEncoding.escaped($0).bytes }
    return Secret(Base64.encoded(halves[0] + Array(":".utf8) + halves[1]))
  }
}
