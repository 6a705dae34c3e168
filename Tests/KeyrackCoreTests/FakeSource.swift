import KeyrackCore
import KeyrackProtocol
import Synchronization

/// A configuration of accounts of one provider, which the test names.
final class FakeSource: ConfigurationSource {
  private struct File {
    var accounts: [String]
    var provider: Provider
    var policies: [String: AccessPolicy] = [:]
    var uses: [UseMapping] = []
    var notices = NoticeSettings()
    var error: ConfigurationError?
  }

  private let file: Mutex<File>

  init(_ accounts: [String], of provider: Provider = Bench.corp, notices: NoticeSettings = NoticeSettings()) {
    file = Mutex(File(accounts: accounts, provider: provider, notices: notices))
  }

  func write(
    _ accounts: [String], of provider: Provider = Bench.corp, policies: [String: AccessPolicy] = [:],
    uses: [UseMapping] = [], notices: NoticeSettings = NoticeSettings()
  ) {
    file.withLock {
      $0 = File(accounts: accounts, provider: provider, policies: policies, uses: uses, notices: notices)
    }
  }

  var configuration: Configuration {
    let file = file.withLock { $0 }
    let provider = file.provider
    let accounts = file.accounts.map { name in
      let policy = file.policies[name] ?? .standard
      return (name, Account(name: name, provider: provider, scopes: ["mail", "files"], policy: policy))
    }
    var configuration = Configuration(
      providers: [provider.name: provider], accounts: Dictionary(uniqueKeysWithValues: accounts))
    configuration.uses = file.uses
    configuration.notices = file.notices
    return configuration
  }

  func damage(_ error: ConfigurationError) { file.withLock { $0.error = error } }

  func read() async throws(ConfigurationError) -> Configuration {
    if let error = file.withLock({ $0.error }) { throw error }
    return configuration
  }

  /// Of `host/path`.
  func place(_ url: String, for use: ResolveOperation.Use) -> WebPlace? { WebPlace(url) }
}

extension WebPlace {
  /// Of `host/path`; nil where there is a space in it.
  init?(_ text: String) {
    guard !text.contains(" ") else { return nil }
    let names = text.split(separator: "/").map { Array($0.utf8) + [UInt8(ascii: "/")] }
    self.init(origin: names.first ?? [], path: [UInt8(ascii: "/")] + names.dropFirst().joined())
  }
}
