import Glibc

/// Files that were installed with this program.
package enum InstalledFile {
  /// `keyrack-keyring`: in `../libexec/keyrack` as seen from this program, else beside it, as after a build.
  package static var keyringHelper: String {
    let directory = programDirectory
    let installed = "\(directory)/../libexec/keyrack/keyrack-keyring"
    return unsafe access(installed, X_OK) == 0 ? installed : "\(directory)/keyrack-keyring"
  }

  private static var programDirectory: String {
    let path = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { buffer in
      unsafe buffer.initialize(repeating: 0)
      guard let start = buffer.baseAddress, unsafe readlink("/proc/self/exe", start, Int(PATH_MAX)) > 0 else {
        return "."
      }
      return unsafe String(cString: start)
    }
    return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }
}
