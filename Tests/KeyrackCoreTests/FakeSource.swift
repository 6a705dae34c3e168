import KeyrackCore
import KeyrackProtocol
import Synchronization

/// A configuration of accounts of one provider, which the test names.
final class FakeSource: ConfigurationSource {
  private let file: Mutex<(accounts: [String], provider: Provider)>

  init(_ accounts: [String], of provider: Provider = Bench.corp) { file = Mutex((accounts, provider)) }

  func write(_ accounts: [String], of provider: Provider = Bench.corp) { file.withLock { $0 = (accounts, provider) } }

  var configuration: Configuration {
    let (names, provider) = file.withLock { $0 }
    let accounts = names.map { ($0, Account(name: $0, provider: provider, scopes: ["mail", "files"])) }
    return Configuration(providers: [provider.name: provider], accounts: Dictionary(uniqueKeysWithValues: accounts))
  }

  func read() async throws(ConfigurationError) -> Configuration { configuration }
}
