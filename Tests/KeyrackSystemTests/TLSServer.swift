import Foundation
import Glibc

/// `openssl s_server` that answers one connection, whoever asks for whatever, with 200 and `{}`.
final class TLSServer {
  let port: Int
  private let process = Process()

  init(certificate: String, key: String) throws {
    process.executableURL = URL(filePath: "/usr/bin/openssl")
    process.arguments = ["s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key, "-no_ticket"]
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".utf8))
    var seen = ""
    // It prints "ACCEPT 127.0.0.1:PORT".
    while !(seen.contains("ACCEPT") && seen.hasSuffix("\n")) {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { break }
      seen += String(decoding: more, as: UTF8.self)
    }
    let line = seen.split(separator: "\n").first { $0.contains("ACCEPT") }
    port = line?.split(separator: ":").last.flatMap { Int($0) } ?? 0
  }

  // Threads of Dispatch block SIGTERM, and so does what they start.
  deinit { kill(process.processIdentifier, SIGKILL) }
}

/// Certificates of an authority that nobody knows, in a directory that goes with it.
final class TestAuthority {
  let directory: String
  var caFile: String { directory + "/ca.pem" }
  var key: String { directory + "/server.key" }

  init() throws {
    directory = FileManager.default.temporaryDirectory.path() + "keyrack-tls-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let newKey = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
    _ = try shell(
      """
      cd \(directory)
      openssl req -x509 \(newKey) -keyout ca.key -out ca.pem -days 2 -subj /CN=Test \
        -addext basicConstraints=critical,CA:TRUE
      openssl req -new \(newKey) -keyout server.key -out server.csr -subj /CN=server
      """)
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  /// The path of a certificate for these names and that many days from now.
  func certificate(for names: String, days: Int) throws -> String {
    let path = "\(directory)/\(UUID().uuidString).pem"
    _ = try shell(
      """
      cd \(directory)
      echo subjectAltName=\(names) > \(path).ext
      openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days \(days) \
        -extfile \(path).ext -out \(path)
      """)
    return path
  }
}
