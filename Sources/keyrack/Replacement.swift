import Glibc

/// Another program in the place of this one, with its descriptors 0 to 2, its environment and its signals.
enum Replacement {
  /// `command`: the program, found in `PATH`, and its arguments. Throws as shells end: with 127 where there is no such
  /// program, with 126 where it cannot be run.
  static func run(_ command: [String]) throws(CommandFailure) -> Never {
    let words: [UnsafeMutablePointer<CChar>?] = unsafe command.map { unsafe strdup($0) } + [nil]
    _ = unsafe execvp(command[0], words)
    let code = errno
    unsafe words.forEach { unsafe free($0) }
    let reason = unsafe String(cString: strerror(code))
    throw CommandFailure(status: code == ENOENT ? 127 : 126, "could not run \(command[0]): \(reason.lowercased())")
  }
}
