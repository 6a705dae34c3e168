import KeyrackCore
import KeyrackProtocol
import Synchronization

/// A configuration of accounts of one provider, which the test names.
final class FakeSource: ConfigurationSource {
  private struct File {
    var accounts: [String]
    var provider: Provider
    var policies: [String: AccessPolicy] = [:]
  }

  private let file: Mutex<File>

  init(_ accounts: [String], of provider: Provider = Bench.corp) {
    file = Mutex(File(accounts: accounts, provider: provider))
  }

  func write(
    _ accounts: [String], of provider: Provider = Bench.corp, policies: [String: AccessPolicy] = [:]
  ) {
    file.withLock { $0 = File(accounts: accounts, provider: provider, policies: policies) }
  }

  var configuration: Configuration {
    let file = file.withLock { $0 }
    let provider = file.provider
    let accounts = file.accounts.map { name in
      let policy = file.policies[name] ?? .standard
      return (name, Account(name: name, provider: provider, scopes: ["mail", "files"], policy: policy))
    }
    return Configuration(providers: [provider.name: provider], accounts: Dictionary(uniqueKeysWithValues: accounts))
  }

  func read() async throws(ConfigurationError) -> Configuration { configuration }
}
