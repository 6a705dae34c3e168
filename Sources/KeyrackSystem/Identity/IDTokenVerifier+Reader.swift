import Glibc
package import KeyrackCore
package import KeyrackProtocol

extension IDTokenVerifier: IDTokenReader {
  package nonisolated func identity(
    in token: Secret, of grant: Grant, at occasion: IdentityOccasion, keys: KeySource, _ oauth: Provider.OAuth
  ) async -> Result<Identity, RequestFailure> {
    var expectation = IDTokenExpectation(issuer: oauth.issuer, clientID: oauth.clientID, now: time(nil))
    var subject: String?
    switch occasion {
    case .signIn(let nonce): expectation.nonce = nonce
    case .refresh(let known, let authTime):
      subject = known
      expectation.authTime = authTime
    }
    do throws(IDTokenError) {
      let claims = try await verify(
        token, keys: keys, expecting: expectation, refreshOf: subject, accessToken: grant.accessToken)
      return .success(
        Identity(subject: claims.subject, idTokenExpiresAt: claims.expiresAt, authTime: claims.authTime))
    } catch {
      return switch error.kind {
      case .invalid, .otherSubject: .failure(.rejected(Rejection(.answer, error.message, hint: error.hint)))
      case .keysUnavailable: .failure(.unavailable(error.message, hint: error.hint))
      }
    }
  }
}
