/// The unit that the control group of a process names. Any program of the user can start itself in a unit of any name.
///
/// It is what sd_pid_get_user_unit(3) says, or else sd_pid_get_unit(3). These read four files for it and ask at each line
/// whether it comes from a terminal, which was half of what a connection cost.
package struct SystemdUnit: Sendable, Equatable {
  package let name: String
  /// Whether it is one of the user's own manager.
  package let isOfUser: Bool

  private typealias Bytes = ArraySlice<UInt8>

  /// Nil where it names none.
  package init?(_ group: ControlGroup) {
    let path = group.path.split(separator: UInt8(ascii: "/")).drop(while: Self.isSlice)
    guard let first = path.first else { return nil }
    if Self.isManagerOfUser(first) || Self.isSession(first),
      let name = path.dropFirst().drop(while: Self.isSlice).first.flatMap(Self.name(of:))
    {
      (self.name, isOfUser) = (name, true)
    } else if let name = Self.name(of: first) {
      (self.name, isOfUser) = (name, false)
    } else {
      return nil
    }
  }

  private static let types = [
    "service", "scope", "socket", "target", "device", "mount", "automount", "swap", "timer", "path",
  ].map { Array($0.utf8) }

  /// Nil where a directory is not named like a unit, or like a slice or a template.
  private static func name(of directory: Bytes) -> String? {
    let name = unescaped(directory)
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex,
      types.contains(where: { name[(dot + 1)...].elementsEqual($0) }),
      name.allSatisfy({ isPlain($0) || $0 == UInt8(ascii: "@") })
    else { return nil }
    if let at = name.firstIndex(of: UInt8(ascii: "@")), at == name.startIndex || at + 1 >= dot { return nil }
    return String(decoding: name, as: UTF8.self)
  }

  private static func isSlice(_ directory: Bytes) -> Bool {
    middle(of: unescaped(directory), "", ".slice")?.allSatisfy(isPlain) ?? false
  }

  /// systemd puts an underscore before names that the kernel might want for a file of its own.
  private static func unescaped(_ directory: Bytes) -> Bytes {
    directory.first == UInt8(ascii: "_") ? directory.dropFirst() : directory
  }

  private static func isManagerOfUser(_ directory: Bytes) -> Bool {
    middle(of: directory, "user@", ".service")?.allSatisfy { (0x30...0x39).contains($0) } ?? false
  }

  private static func isSession(_ directory: Bytes) -> Bool {
    middle(of: directory, "session-", ".scope")?.allSatisfy(isAlphanumeric) ?? false
  }

  /// Nil where there is nothing between the two.
  private static func middle(of name: Bytes, _ prefix: String, _ suffix: String) -> Bytes? {
    let (prefix, suffix) = (prefix.utf8, suffix.utf8)
    guard name.count > prefix.count + suffix.count, name.starts(with: prefix),
      name.suffix(suffix.count).elementsEqual(suffix)
    else { return nil }
    return name.dropFirst(prefix.count).dropLast(suffix.count)
  }

  private static func isPlain(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || punctuation.contains(byte) }
  private static let punctuation = Array(":-_.\\".utf8)

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}
