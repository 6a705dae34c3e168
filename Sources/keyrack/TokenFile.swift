import CStatfs
import Glibc

/// A file with a token in it: for this user alone, and whole at every moment.
struct TokenFile {
  let path: String
  private let directory: String
  private let name: String
  private let isAnywhere: Bool

  /// `anywhere`: on a disk, too.
  init(path: String, anywhere: Bool) throws(CommandFailure) {
    self.path = path
    isAnywhere = anywhere
    let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    directory = start == path.startIndex ? "." : String(path[..<start])
    name = String(path[start...])
    guard !["", ".", ".."].contains(name) else { throw .usage("\(path): not the name of a file", of: .tokenFile) }
  }

  /// Written beside it, and renamed into its place.
  func write(_ bytes: [UInt8]) throws(CommandFailure) {
    let folder = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw failure() }
    defer { close(folder) }
    guard isAnywhere || Self.isInMemory(folder) else {
      throw CommandFailure(
        status: 1, "could not write \(path): it would be on a disk, where a token outlives its file",
        hint: "a path on a tmpfs, as below $XDG_RUNTIME_DIR; --any-filesystem writes it all the same")
    }
    unsafe unlinkat(folder, newName, 0)
    let file = unsafe openat(folder, newName, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure() }
    defer { close(file) }
    guard fchmod(file, 0o600) == 0, Output.write(bytes, to: file),
      unsafe renameat(folder, newName, folder, name) == 0
    else {
      let failure = failure()
      unsafe unlinkat(folder, newName, 0)
      throw failure
    }
  }

  func remove() { unsafe unlink(path) }

  private var newName: String { ".\(name).new" }

  /// Of the last call that failed.
  private func failure() -> CommandFailure {
    CommandFailure(status: 1, "could not write \(path): \(unsafe String(cString: strerror(errno)).lowercased())")
  }

  /// statfs(2): tmpfs, ramfs.
  private static func isInMemory(_ descriptor: Int32) -> Bool {
    var status = statfs()
    guard unsafe fstatfs(descriptor, &status) == 0 else { return false }
    return [0x0102_1994, 0x8584_58F6].contains(Int(status.f_type))
  }
}
