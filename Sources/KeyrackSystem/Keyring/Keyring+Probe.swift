package import KeyrackCore
import KeyrackProtocol

extension Keyring: StoreProbe {
  private static let probeAttributes = ["app": "keyrack", "kind": "probe"]

  package func probeBus() async throws(StoreError) { _ = try helper.perform(KeyringCall(.connect), .never) }

  /// What an earlier one left behind goes with it: there is never more than one item of the kind.
  package func probe() async throws(StoreError) {
    let secret = Secret(Array("probe \(UInt64.random(in: .min ... .max))".utf8))
    _ = try helper.perform(
      KeyringCall(.store, attributes: Self.probeAttributes, label: "Keyrack: probe", secret: secret), .never)
    let found: Result<[KeyringAnswer.Item], StoreError>
    do throws(StoreError) { found = .success(try find(Self.probeAttributes, .never)) } catch { found = .failure(error) }
    _ = try helper.perform(KeyringCall(.remove, attributes: Self.probeAttributes), .never)
    guard try found.get().contains(where: { $0.secret == secret }) else {
      throw .failed("what was stored did not come back")
    }
  }
}
