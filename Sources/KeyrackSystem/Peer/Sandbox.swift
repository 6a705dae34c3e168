import Glibc
import KeyrackCore

/// A process in other namespaces than the daemon's.
package struct Sandbox: Sendable {
  private static let maximumSize = 64 * 1024

  let files: ProcessFiles
  let unit: SystemdUnit?
  let peer: PeerProcess
  let caller: @Sendable (Program.Confinement) -> Caller

  /// Reads what Flatpak has put into the sandbox. Blocks.
  func look() -> Caller {
    let name = files.rootFile(".flatpak-info", limit: Self.maximumSize).flatMap(Self.flatpak)
    guard peer.isAlive else { return .unknown }
    guard let name, isCredible(flatpak: name) else { return caller(.container) }
    return caller(.flatpak(name))
  }

  /// flatpak-metadata(5).
  private static func flatpak(_ text: [UInt8]) -> String? {
    guard let file = try? KeyFile(parsing: text) else { return nil }
    return try? file.string("name", group: "Application")
  }

  /// Flatpak puts its programs in a scope of the user's manager, where there is one. Other sandboxes may have any file.
  private func isCredible(flatpak name: String) -> Bool {
    guard let unit, unit.isOfUser else { return true }
    return unit.name.replacing("\\x2d", with: "-").hasPrefix("app-flatpak-\(name)-")
  }
}
