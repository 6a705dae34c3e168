/// Commands of two words that have the first in common.
enum CommandGroup: String, CaseIterable {
  case account, provider

  var commands: [Command] { Command.allCases.filter { $0.words.count > 1 && $0.words.first == rawValue } }

  var summary: String {
    switch self {
    case .account: "add, list and remove accounts"
    case .provider: "list the providers that accounts can be at, and keep their client secrets"
    }
  }
}
