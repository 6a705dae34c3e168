import KeyrackCore

/// Reads which programs may use an account.
struct ConfigurationAccessReader {
  static let keys = ["allow", "confirm", "confirm_ttl"]
  /// Seconds.
  private static let lifetimes = 1...86_400

  let group: ConfigurationGroup

  func policy() throws(ConfigurationError) -> AccessPolicy {
    let confirms = try group.boolean("confirm") ?? false
    let lifetime = try group.number("confirm_ttl", in: Self.lifetimes)
    if lifetime != nil, !confirms {
      throw group.failure(
        "confirm_ttl", "nobody is asked without confirm=yes", hint: "add confirm=yes, or remove this line")
    }
    return AccessPolicy(
      allowed: try allowed(), confirms: confirms, confirmationLifetime: lifetime.map { .seconds($0) })
  }

  private func allowed() throws(ConfigurationError) -> [ProgramPattern]? {
    guard group.has("allow") else { return nil }
    let items = try group.list("allow")
    guard !items.isEmpty else {
      throw group.failure("allow", "empty: no program could use the account", hint: "list some, or remove the line")
    }
    var patterns: [ProgramPattern] = []
    for item in items { patterns.append(try pattern(item)) }
    return patterns
  }

  private func pattern(_ item: String) throws(ConfigurationError) -> ProgramPattern {
    let parts = item.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, let kind = ProgramPattern.Kind(rawValue: parts[0]), !parts[1].isEmpty else {
      throw group.failure(
        "allow", "\"\(item)\" is not an item of it", hint: "an item is unit:NAME, exe:/PATH, flatpak:ID or snap:NAME")
    }
    let isPrefix = parts[1].hasSuffix("*")
    let text = isPrefix ? String(parts[1].dropLast()) : parts[1]
    guard !text.contains("*") else {
      throw group.failure("allow", "\"\(item)\" has a * elsewhere than at its end", hint: "write it without that *")
    }
    if kind == .exe, !text.hasPrefix("/") {
      throw group.failure("allow", "\"\(item)\" is not an absolute path", hint: "write it as in exe:/usr/bin/mbsync")
    }
    return ProgramPattern(kind, text, isPrefix: isPrefix)
  }
}
