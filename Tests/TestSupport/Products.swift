import Glibc

/// Where the programs are that were built along with the tests.
package enum Products {
  /// The path of a program, such as `keyrackd`.
  package static func path(of program: String) -> String {
    let beside = directory + "/" + program
    return access(beside, X_OK) == 0 ? beside : checkout + "/.build/debug/" + program
  }

  /// The folder of the running test program.
  private static let directory: String = {
    let program = realpath("/proc/self/exe", nil)
    defer { free(program) }
    return parent(of: program.map { String(cString: $0) } ?? "")
  }()

  /// The folder of the checkout that this file is of. A runner from elsewhere finds its debug build there.
  package static let checkout = parent(of: parent(of: parent(of: #filePath)))

  private static func parent(of path: String) -> String {
    String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  }
}
