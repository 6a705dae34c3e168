import Glibc
import KeyrackProtocol

/// `keyrack curl`: curl with a token that it reads from a pipe, as lines of its configuration.
struct CurlCommand {
  private let operation: TokenOperation
  private let arguments: [String]

  init(_ invocation: Invocation) throws(CommandFailure) {
    operation = try invocation.tokenOperation()
    let words = invocation.operands.dropFirst()
    arguments = Array(words.first == "--" ? words.dropFirst() : words)
  }

  /// Does not return where it works.
  func run() throws -> Int32 {
    let token = try BearerToken(operation.token())
    let configuration = CurlConfiguration(token: token, arguments: arguments)
    let pipe = try Self.pipe(with: configuration.text)
    // First, so that what the person says counts, but behind what curl heeds only as its first argument.
    let first = arguments.prefix { $0 == "-q" || $0 == "--disable" }
    let rest = arguments.dropFirst(first.count)
    try Replacement.run(["curl"] + first + ["--config", "/dev/fd/\(pipe)"] + rest)
  }

  /// The end to read of a pipe that holds these bytes. It stays open in the program that takes over, the other does not.
  private static func pipe(with bytes: [UInt8]) throws(CommandFailure) -> Int32 {
    var ends: [Int32] = [-1, -1]
    guard unsafe Glibc.pipe(&ends) == 0, fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0,
      fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0
    else { throw CommandFailure(status: 1, "could not open a pipe: \(unsafe String(cString: strerror(errno)))") }
    guard Output.write(bytes, to: ends[1]) else {
      throw CommandFailure(status: 1, "the token is too long for a pipe")
    }
    return ends[0]
  }
}
