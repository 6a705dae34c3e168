import KeyrackProtocol

/// `keyrack provider show`: a group that could stand in a configuration file as it is.
struct ProviderShowCommand {
  private let name: String

  init(_ invocation: Invocation) { name = invocation.operands.first ?? "" }

  func run(json: Bool) throws -> Int32 {
    try Call.perform(ProvidersOperation(), json: json) { reply in
      try Output.data(Self.text(reply.provider(named: name)))
    }
  }

  private static func text(_ provider: ProviderDescription) -> String {
    var lines: [String] = []
    switch provider.origin {
    case .preset:
      lines.append("# Comes with Keyrack. To use it: keyrack account add NAME --provider \(provider.name)")
    case .configuration: break
    }
    if !provider.methods.isEmpty {
      lines.append("# Signing in: \(provider.methods.map(\.rawValue).joined(separator: ", "))")
    }
    lines.append("[provider \(provider.name)]")
    lines += provider.settings.map { "\($0.key)=\($0.value)" }
    for key in provider.missing {
      lines.append("# Missing: \(ClientSource.explanation(of: key, at: provider))")
      lines.append("#\(key)=")
    }
    return lines.map { $0.printable + "\n" }.joined()
  }
}

extension ProvidersOperation.Reply {
  /// One that is configured takes the place of a preset.
  func provider(named name: String) throws(CommandFailure) -> ProviderDescription {
    let named = providers.filter { $0.name == name }
    guard let provider = named.first(where: { $0.origin == .configuration }) ?? named.first else {
      throw CommandFailure(status: 1, "\(name): no such provider", hint: "keyrack provider list")
    }
    return provider
  }
}

extension ProviderDescription {
  /// As the file has it, escaped.
  subscript(key: String) -> String? { settings.first { $0.key == key }?.value }
}
