package import KeyrackCore
package import KeyrackProtocol

extension Keyring: PersonStore {
  package func keep(_ person: Person, of account: String) async throws(StoreError) {
    let secret = Secret(JSONObjectWriter.text(of: person))
    _ = try helper.perform(
      KeyringCall(
        .store, attributes: Self.attributes(personOf: account), label: "Keyrack: person of \(account)", secret: secret),
      .background)
  }

  package func person(of account: String) async throws(StoreError) -> Person? {
    let attributes = Self.attributes(personOf: account)
    let items = try find(attributes).filter { $0.attributes == attributes }
    return items.lazy.compactMap(\.secret).compactMap { Person(stored: $0.bytes) }.first
  }

  private static func attributes(personOf account: String) -> [String: String] {
    ["app": "keyrack", "kind": "person", "account": account]
  }
}
