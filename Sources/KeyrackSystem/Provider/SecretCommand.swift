import KeyrackProtocol

/// A command of the configuration that prints the secret of a client, or its private key.
struct SecretCommand {
  let command: String
  let environment: [String: String]
  let limit: Duration

  /// The first line, or all of it where it is PEM. What is thrown stands after "the client_secret_command of NAME ".
  func run() async throws(Hook.Failure) -> Secret {
    let hook = Hook(name: "client-secret", words: ["/bin/sh", "-c", command], keepsOutput: true, limit: limit)
    let outcome = try await hook.run(in: .current(environment))
    guard outcome.status == 0 else { throw Hook.Failure("has failed, with status \(outcome.status)") }
    return try Self.secret(in: outcome.output)
  }

  private static func secret(in output: [UInt8]) throws(Hook.Failure) -> Secret {
    let isPEM = output.starts(with: "-----BEGIN ".utf8)
    var secret = isPEM ? output[...] : output.prefix { $0 != UInt8(ascii: "\n") }
    if !isPEM, secret.last == UInt8(ascii: "\r") { secret.removeLast() }
    guard !secret.isEmpty else { throw Hook.Failure("has printed nothing on its first line") }
    guard !secret.contains(0), (try? UTF8Span(validating: Array(secret).span)) != nil else {
      throw Hook.Failure("has printed what is no text")
    }
    return Secret(Array(secret))
  }
}
