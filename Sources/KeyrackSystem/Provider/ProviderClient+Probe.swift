package import KeyrackCore

extension ProviderClient {
  /// Asks for the provider's metadata or, where it is configured without, what its token endpoint says to a GET: any
  /// answer will do. One request, without a credential. Then it looks for the client's secret.
  package func probe(_ provider: Provider) async -> ProviderFinding {
    do throws(RequestFailure) {
      if case .oauth(let oauth) = provider.kind, let issuer = oauth.issuer,
        let document = DiscoveryDocument(oauth.discovery)
      {
        return await lookForSecret(of: provider, try await probeMetadata(of: issuer, document, provider))
      }
      return await lookForSecret(of: provider, try await probeEndpoint(of: provider))
    } catch {
      return ProviderFinding(.failure(error))
    }
  }

  /// Whether the secret is there that the client needs. A command is not run: it may ask the person.
  private func lookForSecret(of provider: Provider, _ finding: ProviderFinding) async -> ProviderFinding {
    guard case .success = finding.outcome, case .oauth(let oauth) = provider.kind, oauth.secretCommand == nil else {
      return finding
    }
    do throws(RequestFailure) { _ = try await requireCredentials(of: provider, oauth) } catch {
      // A keyring that is locked has a line of its own.
      if case .rejected = error { return ProviderFinding(.failure(error), date: finding.date) }
    }
    return finding
  }

  private func probeMetadata(
    of issuer: String, _ document: DiscoveryDocument, _ provider: Provider
  ) async throws(RequestFailure) -> ProviderFinding {
    let endpoint = try metadataEndpoint(of: issuer, document)
    return try await find(endpoint, provider) { answer, response in
      switch DiscoveryAnswer.of(response, read: answer, from: issuer, document) {
      case .success(.found): .success("its metadata is in order at \(endpoint.place)")
      case .success(.absent(let failure)), .failure(let failure): .failure(failure)
      }
    }
  }

  private func probeEndpoint(of provider: Provider) async throws(RequestFailure) -> ProviderFinding {
    let url: String? =
      switch provider.kind {
      case .oauth(let oauth): provider.habits.refreshEndpoint ?? oauth.endpoints.token
      case .json(let json): json.loginURL
      }
    let endpoint = try endpoint(url, "token endpoint", of: provider)
    return try await find(endpoint, provider) { _, response in
      switch response.status {
      case 500...:
        .failure(.unavailable("\(endpoint.name) answered HTTP \(response.status)", hint: RequestFailure.serverHint))
      case 407: .failure(.unavailable("the proxy wants a password"))
      default: .success("answers at \(endpoint.place)")
      }
    }
  }

  private func find(
    _ endpoint: Endpoint, _ provider: Provider,
    reading read: @escaping @Sendable (TokenAnswer, HTTPResponse) -> Result<String, RequestFailure>
  ) async throws(RequestFailure) -> ProviderFinding {
    try await send(EndpointRequest(provider: provider, method: .get, endpoint: endpoint)) { answer, response in
      .success(ProviderFinding(read(answer, response), date: response.date))
    }
  }
}

extension Endpoint {
  /// For people: where it is, and whether others could listen.
  fileprivate var place: String { isSecure ? "\(name), over TLS" : "\(name), on this machine without TLS" }
}
