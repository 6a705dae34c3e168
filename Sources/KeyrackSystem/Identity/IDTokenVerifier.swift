package import KeyrackCore
package import KeyrackProtocol

/// Finds out whether a provider has signed an id_token for us. Signatures are checked on a thread of its own, never on the
/// event loop.
package actor IDTokenVerifier {
  private let thread: ThreadExecutor
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

  private let http: HTTPClient
  private let now: @Sendable () -> ContinuousClock.Instant
  private var cache = KeySetCache()
  /// One request for a key set at a time, shared by all who wait for it.
  private var fetches: [KeySource: Task<Result<JSONWebKeySet, KeySetError>, Never>] = [:]

  /// `thread` may be another actor's, too.
  package init(
    http: HTTPClient, thread: ThreadExecutor, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.http = http
    self.thread = thread
    self.now = now
  }

  /// The claims of a sign-in's token, or of a refresh's where its `subject` is given, once they are proven and as
  /// expected. `accessToken` is the one that came with it, for `at_hash`.
  package func verify(
    _ token: Secret, keys source: KeySource, expecting expectation: IDTokenExpectation,
    refreshOf subject: String? = nil, accessToken: Secret? = nil
  ) async throws(IDTokenError) -> IDTokenClaims {
    let token = try CompactJWS(token)
    let payload: IDTokenPayload = try CompactJWS.json(try await signedPayload(of: token, source), "payload")
    let claims = payload.claims(signedBy: token.algorithm)
    let hash = accessToken.map { AccessTokenHash.of($0, for: token.algorithm) }
    if let subject {
      try expectation.checkRefresh(claims, subject: subject, accessTokenHash: hash)
    } else {
      try expectation.check(claims, accessTokenHash: hash)
    }
    return claims
  }

  /// Looks for newer keys once where the known ones do not fit.
  private func signedPayload(of token: CompactJWS, _ source: KeySource) async throws(IDTokenError) -> [UInt8] {
    let known = try await keySet(source)
    var outcome = Self.attempt(token, known)
    if outcome.isWorthOtherKeys, cache.mayRefetch(source, now: now()) {
      outcome = Self.attempt(token, try await fetched(source))
    }
    switch outcome {
    case .signed(let payload): return payload
    case .unknownKey: throw CompactJWS.broken("it is signed by a key that the provider does not publish")
    case .unfitKey: throw CompactJWS.broken("the key that it names is not for its algorithm")
    case .unusableKey: throw CompactJWS.broken("the provider's key for it is not usable")
    case .wrongSignature: throw CompactJWS.broken("its signature is wrong")
    case .noSignature: throw CompactJWS.broken("it is signed by none of the provider's keys")
    }
  }

  // MARK: Signatures

  private enum Attempt {
    case signed([UInt8])
    /// No key of that name, or none at all for that algorithm.
    case unknownKey
    /// A key of that name is for something else.
    case unfitKey
    /// What should be a key is none.
    case unusableKey
    /// The key of that name has not signed it.
    case wrongSignature
    /// It names no key, and no key has signed it.
    case noSignature

    /// Whether the provider may have changed its keys since.
    var isWorthOtherKeys: Bool {
      switch self {
      case .unknownKey, .noSignature: true
      case .signed, .unfitKey, .unusableKey, .wrongSignature: false
      }
    }
  }

  private static func attempt(_ token: CompactJWS, _ set: JSONWebKeySet) -> Attempt {
    let candidates = set.candidates(for: token)
    if candidates.isEmpty { return token.keyID.map(set.names) == true ? .unfitKey : .unknownKey }
    let keys = candidates.compactMap { $0.imported(for: token.algorithm) }
    if keys.isEmpty { return .unusableKey }
    for key in keys {
      if let payload = key.payload(of: token) { return .signed(payload) }
    }
    return token.keyID == nil ? .noSignature : .wrongSignature
  }

  // MARK: Key sets

  /// An old set serves on while the provider does not give another.
  private func keySet(_ source: KeySource) async throws(IDTokenError) -> JSONWebKeySet {
    let known = cache.set(of: source)
    if let known, !cache.isStale(source, now: now()) { return known }
    do { return try await fetched(source) } catch {
      guard let known else { throw error }
      return known
    }
  }

  private func fetched(_ source: KeySource) async throws(IDTokenError) -> JSONWebKeySet {
    let fetch = fetches[source] ?? Task { await self.fetch(source) }
    fetches[source] = fetch
    switch await fetch.value {
    case .success(let set): return set
    case .failure(.unavailable(let reason)):
      throw IDTokenError(.keysUnavailable, "could not get the keys of the provider: \(reason)")
    case .failure(.malformed(let reason)):
      throw IDTokenError(.invalid, "\(source.endpoint.name) has answered with no key set: \(reason)")
    }
  }

  private func fetch(_ source: KeySource) async -> Result<JSONWebKeySet, KeySetError> {
    let request = HTTPRequest(.get, endpoint: source.endpoint, caFile: source.caFile, freshConnection: false)
    let answer = await http.send(request) { response in Result { () throws(KeySetError) in try JSONWebKeySet(response) }
    }
    fetches[source] = nil
    switch answer {
    case .success(.success(let set)):
      cache.store(set, of: source, at: now())
      return .success(set)
    case .success(.failure(.unavailable(let reason))):
      return .failure(.unavailable("\(source.endpoint.name) answered \(reason)"))
    case .success(.failure(let error)): return .failure(error)
    case .failure(.notSent(let message)), .failure(.untrusted(let message)), .failure(.unknown(let message)),
      .failure(.invalidCertificate(let message)):
      return .failure(.unavailable(message))
    }
  }
}
