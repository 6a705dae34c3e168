import CSystemd
import Glibc
package import KeyrackCore

/// Finds out which program has connected, once, when it first asks for something.
package struct CallerLookup {
  private static let namespaces = ["mnt", "pid", "user"]
  /// The daemon's own.
  private let own: [ProcessFiles.Namespace?]
  private let root: ControlGroup.Root

  package init() {
    let files = try? ProcessFiles(of: getpid())
    own = Self.namespaces.map { files?.namespace($0) }
    let manager = try? ProcessFiles(of: 1)?.controlGroups()
    root = manager.map { ControlGroup.Root(manager: $0) } ?? ControlGroup.Root()
  }

  package enum Result {
    case found(Caller)
    /// It is in a sandbox, whose files say which. Reading them may block: not for the loop.
    case sandboxed(Sandbox)
  }

  /// Throws where descriptors have run out.
  package func lookUp(_ peer: PeerProcess, on descriptor: Int32) throws(PeerProcess.Failure) -> Result {
    guard peer.evidence != .none, let files = try ProcessFiles(of: peer.number) else { return .found(.unknown) }
    let executable = files.executable
    let namespaces = Self.namespaces.map(files.namespace)
    let unit = try files.controlGroups().flatMap { ControlGroup($0, below: root) }.flatMap(SystemdUnit.init)
    let label = SecurityLabel(ofPeerOf: descriptor)
    // Read first, and then seen alive: it is that process's own.
    guard peer.isAlive, !namespaces.contains(nil) else { return .found(.unknown) }
    @Sendable func caller(_ confinement: Program.Confinement?) -> Caller {
      Caller(
        process: peer.number, evidence: peer.evidence,
        program: Program(executable: executable, unit: unit?.name, confinement: confinement))
    }
    if let snap = label?.snap { return .found(caller(.snap(snap))) }
    if namespaces == own { return .found(caller(nil)) }
    return .sandboxed(Sandbox(files: files, unit: unit, peer: peer, caller: caller))
  }
}
