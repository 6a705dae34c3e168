package import KeyrackCore
import KeyrackProtocol

extension Keyring: StoreRemoval {
  private static let everything = ["app": "keyrack"]

  package func count() async throws(StoreError) -> Int { try find(Self.everything).count }

  package func removeAll() async throws(StoreError) {
    // In another collection there may be one that was locked when the others were found.
    for attributes in Set(try find(Self.everything).map(\.attributes)) {
      _ = try helper.perform(KeyringCall(.remove, attributes: attributes), .background)
    }
    let left = try find(Self.everything).count
    guard left == 0 else { throw .failed("\(left) items are still there") }
  }
}
