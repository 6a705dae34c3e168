/// The control group of a process where systemd keeps it, below the group of the whole system: in a container that may be
/// one among others.
package struct ControlGroup: Sendable {
  let path: ArraySlice<UInt8>

  /// `text` is that of `/proc/PID/cgroup`, cgroups(7). Nil where it names no group that is systemd's.
  package init?(_ text: [UInt8], below root: Root = Root()) {
    guard let path = Self.path(in: text) else { return nil }
    let isBelow = path.starts(with: root.path) && path.dropFirst(root.path.count).first == UInt8(ascii: "/")
    self.path = isBelow ? path.dropFirst(root.path.count) : path
  }

  /// Where the system's manager has its own.
  package struct Root: Sendable {
    fileprivate var path: ArraySlice<UInt8> = []

    package init() {}

    /// `text` is the one of process 1.
    package init(manager text: [UInt8]) {
      path = ControlGroup.path(in: text) ?? []
      for end in ["/init.scope", "/system.slice", "/system"] { if path.removeEnd(end) { break } }
      if path.elementsEqual("/".utf8) { path = [] }
    }
  }

  /// In systemd's own hierarchy or in the unified one: of one that it does not use, all processes are at the top.
  private static func path(in text: [UInt8]) -> ArraySlice<UInt8>? {
    var top: ArraySlice<UInt8>?
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3, fields[1].isEmpty || fields[1].elementsEqual("name=systemd".utf8) else { continue }
      var path = fields[2]
      // Of a zombie whose group is gone.
      path.removeEnd(" (deleted)")
      if !path.elementsEqual("/".utf8) { return path }
      top = path
    }
    return top
  }
}

extension ArraySlice<UInt8> {
  /// Whether it was there.
  @discardableResult
  fileprivate mutating func removeEnd(_ end: String) -> Bool {
    guard suffix(end.utf8.count).elementsEqual(end.utf8) else { return false }
    removeLast(end.utf8.count)
    return true
  }
}
