import Glibc
import KeyrackProtocol

/// `keyrack exec`: a program with a token in its environment.
struct ExecCommand {
  /// The variable, where it is not named.
  static let usualName = "ACCESS_TOKEN"

  private let operation: TokenOperation
  private let name: String
  private let command: [String]

  init(_ invocation: Invocation) throws(CommandFailure) {
    name = invocation[.environment] ?? Self.usualName
    guard Self.isValid(name: name) else {
      throw .usage("--env: expected a name of letters, digits and _", of: .exec)
    }
    operation = try invocation.tokenOperation()
    command = Array(invocation.operands.dropFirst())
  }

  /// Does not return where it works.
  func run() throws -> Int32 {
    let token = try operation.token().token
    unsafe setenv(name, String(decoding: token.bytes, as: UTF8.self), 1)
    CoreDumps.restore()
    try Replacement.run(command)
  }

  private static func isValid(name: String) -> Bool {
    guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return name.unicodeScalars.allSatisfy { $0.isASCII && ($0.properties.isAlphabetic || $0 == "_" || isDigit($0)) }
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
}
