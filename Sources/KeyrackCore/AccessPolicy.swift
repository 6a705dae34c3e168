/// Which programs may use an account: `allow`, `confirm` and `confirm_ttl` of its group.
package struct AccessPolicy: Sendable, Equatable {
  /// Nil: every program of the user that is not sandboxed.
  package var allowed: [ProgramPattern]?
  /// Whether the person is asked before a token is handed out.
  package var confirms: Bool
  /// How long a yes stands for that program; nil: for the requests that waited for it.
  package var confirmationLifetime: Duration?

  package init(allowed: [ProgramPattern]? = nil, confirms: Bool = false, confirmationLifetime: Duration? = nil) {
    self.allowed = allowed
    self.confirms = confirms
    self.confirmationLifetime = confirmationLifetime
  }

  /// Of what no group names.
  package static let standard = AccessPolicy()

  /// Why that program may not; nil where it may.
  package func denial(of program: Program) -> AccessDenial? {
    if let allowed, allowed.contains(where: { $0.matches(program) }) { return nil }
    switch program.confinement {
    case .unknown: return .unknownProgram
    // The same whether there is a list or not, and whether there is an account: it learns neither.
    case .flatpak, .snap, .container: return .sandboxed
    case nil: return allowed == nil ? nil : .notAllowed
    }
  }
}

/// An item of `allow`: `unit:NAME`, `exe:/path`, `flatpak:ID` or `snap:NAME`, where `*` at the end stands for anything.
package struct ProgramPattern: Sendable, Equatable {
  package enum Kind: String, Sendable, CaseIterable { case unit, exe, flatpak, snap }

  package let kind: Kind
  /// Without the `*`.
  package let text: String
  package let isPrefix: Bool

  package init(_ kind: Kind, _ text: String, isPrefix: Bool = false) {
    self.kind = kind
    self.text = text
    self.isPrefix = isPrefix
  }

  package func matches(_ program: Program) -> Bool {
    switch (kind, program.confinement) {
    // Of a process that may be another by now, nothing counts.
    case (_, .unknown): false
    case (.unit, _): matches(program.unit)
    // In a sandbox any file can stand at any path.
    case (.exe, let confinement): confinement == nil && matches(program.executable)
    case (.flatpak, .flatpak(let name)): matches(name)
    case (.snap, .snap(let name)): matches(name)
    case (.flatpak, _), (.snap, _): false
    }
  }

  private func matches(_ name: String?) -> Bool {
    guard let name else { return false }
    return isPrefix ? name.utf8.starts(with: text.utf8) : name.utf8.elementsEqual(text.utf8)
  }
}

/// Why a program may not use an account; the `reason` of `forbidden`.
package enum AccessDenial: String, Sendable {
  case sandboxed
  case notAllowed = "not_allowed"
  case unknownProgram = "unknown_program"
  case notConfirmed = "not_confirmed"
  case noAskpass = "no_askpass"
  case noDisplay = "no_display"
  /// The askpass program could not be run, or has failed.
  case askpassFailed = "askpass_failed"
}
