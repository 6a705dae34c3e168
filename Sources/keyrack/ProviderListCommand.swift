import KeyrackProtocol

/// `keyrack provider list`.
enum ProviderListCommand {
  static func run(json: Bool) throws -> Int32 {
    try Call.perform(ProvidersOperation(), json: json) { reply in
      let rows = reply.providers.map { provider in
        [
          provider.name, provider.origin.rawValue, provider.kind,
          provider.methods.map(\.rawValue).joined(separator: ", "),
        ]
      }
      try Output.data(Table.text([["NAME", "ORIGIN", "KIND", "METHODS"]] + rows))
    }
  }
}
