package import KeyrackCore
package import KeyrackProtocol

/// Where the secrets of clients are read.
package protocol ClientSecretLookup: Sendable {
  /// Nil where there is none.
  func clientSecret(of provider: String) async throws(StoreError) -> Secret?
}

extension Keyring: ClientSecretStore, ClientSecretLookup {
  package func keep(_ secret: Secret?, of provider: String) async throws(StoreError) {
    let attributes = Self.attributes(clientOf: provider)
    _ = try helper.perform(KeyringCall(.prepare, create: secret != nil), .interactive)
    let call =
      if let secret {
        KeyringCall(.store, attributes: attributes, label: "Keyrack: client of \(provider)", secret: secret)
      } else {
        KeyringCall(.remove, attributes: attributes)
      }
    _ = try helper.perform(call, .background)
  }

  package func clientSecret(of provider: String) async throws(StoreError) -> Secret? {
    let attributes = Self.attributes(clientOf: provider)
    let items = try find(attributes).filter { $0.attributes == attributes }
    if let secret = items.lazy.compactMap(\.secret).first { return secret }
    guard items.isEmpty else { throw .failed("what the keyring holds as the client secret of \(provider) is no text") }
    return nil
  }

  private static func attributes(clientOf provider: String) -> [String: String] {
    ["app": "keyrack", "kind": "client", "provider": provider]
  }
}
