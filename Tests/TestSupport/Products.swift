import Glibc

/// Where the programs are that were built along with the tests.
package enum Products {
  /// The path of a program, such as `keyrackd`.
  package static func path(of program: String) -> String {
    let beside = directory + "/" + program
    return access(beside, X_OK) == 0 ? beside : checkoutDirectory + "/" + program
  }

  /// The folder of the running test program.
  private static let directory: String = {
    let program = realpath("/proc/self/exe", nil)
    defer { free(program) }
    return parent(of: program.map { String(cString: $0) } ?? "")
  }()

  /// For a runner from elsewhere: the debug build of the checkout that this file is of.
  private static let checkoutDirectory = parent(of: parent(of: parent(of: #filePath))) + "/.build/debug"

  private static func parent(of path: String) -> String {
    String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  }
}
