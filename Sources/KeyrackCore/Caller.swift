/// The program at the other end of a connection, as it was found at its first request. Any program of the same user can
/// imitate another: the uid is the wall, this is for records and convenience.
package final class Caller: Sendable {
  /// Of the process that connected; nil where it cannot be seen from here.
  package let process: Int32?
  package let evidence: Evidence
  package let program: Program

  /// How the process was found.
  package enum Evidence: String, Sendable {
    /// By a handle that the kernel made when the client connected.
    case pidfd
    /// By its number, which may by then have been another's.
    case number = "proc"
    case none
  }

  package init(process: Int32?, evidence: Evidence, program: Program) {
    self.process = process
    self.evidence = evidence
    self.program = program
  }

  /// One of which nothing is known: who connected has ended, or cannot be looked at.
  package static let unknown = Caller(process: nil, evidence: .none, program: Program(confinement: .unknown))
}

/// What a process runs, and where.
package struct Program: Sendable, Hashable {
  /// The file that was executed; of a script its interpreter. In a sandbox it means little.
  package let executable: String?
  /// The systemd unit that the process belongs to.
  package let unit: String?
  /// Nil for an ordinary program of the user.
  package let confinement: Confinement?

  package enum Confinement: Sendable, Hashable {
    case flatpak(String)
    case snap(String)
    /// Another mount, process or user namespace than the daemon's.
    case container
    /// It could not be found out.
    case unknown
  }

  package init(executable: String? = nil, unit: String? = nil, confinement: Confinement? = nil) {
    self.executable = executable
    self.unit = unit
    self.confinement = confinement
  }

  /// Whether the executable says only what language the program is written in.
  package var isScript: Bool {
    guard let name = executable?.split(separator: "/").last else { return false }
    let language = name.prefix { $0.isLetter }
    return Self.interpreters.contains(String(language))
  }

  private static let interpreters: Set = [
    "sh", "bash", "dash", "zsh", "ksh", "mksh", "fish", "busybox", "python", "pypy", "perl", "ruby", "node", "nodejs",
    "deno", "bun", "php", "lua", "luajit", "tclsh", "wish", "guile", "java", "gawk", "mawk",
  ]
}

extension Program: CustomStringConvertible {
  /// For people, in one line.
  package var description: String {
    let what: String
    switch confinement {
    case .flatpak(let name): what = "Flatpak \(name)"
    case .snap(let name): what = "Snap \(name)"
    case .container: what = executable.map { "\($0) in a container" } ?? "a program in a container"
    case .unknown: what = "an unknown program"
    case nil: what = (executable ?? "a program") + (isScript ? " (an interpreter)" : "")
    }
    return unit.map { "\(what), unit \($0)" } ?? what
  }
}
