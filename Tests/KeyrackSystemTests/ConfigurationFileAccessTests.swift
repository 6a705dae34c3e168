import FoundationEssentials
import Glibc
import KeyrackCore
import KeyrackSystem
import Testing

@Suite(.timeLimit(.minutes(1))) struct ConfigurationFileAccessTests {
  private static let name = "~/.config/keyrack/keyrack.conf"

  let directory: ConfigurationDirectory

  init() throws { directory = try ConfigurationDirectory() }

  @Test(arguments: [0o620, 0o602, 0o666])
  func aFileThatOthersCanWriteIsRefused(mode: Int) async throws {
    try directory.write("", mode: mode)
    try await expect("\(Self.name): can be written by other users", hint: "chmod go-w \(Self.name)")
  }

  @Test func aFileThatOthersCanReadIsFine() async throws {
    try directory.write("", mode: 0o644)
    #expect(try await directory.failure() == nil)
  }

  @Test func theDirectoryThatOthersCanWriteIsRefused() async throws {
    chmod(directory.configuration, 0o775)
    try await expect("~/.config/keyrack: can be written by other users", hint: "chmod go-w ~/.config/keyrack")
  }

  @Test func aDirectoryOfFilesThatOthersCanWriteIsRefused() async throws {
    let path = try directory.write("", to: "keyrack.conf.d/a.conf")
    chmod(String(path.dropLast("/a.conf".utf8.count)), 0o777)
    try await expect("\(Self.name).d: can be written by other users", hint: "chmod go-w \(Self.name).d")
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
  func aFileOfAnotherUserIsRefused() async throws {
    chown(try directory.write(""), 1, 1)
    try await expect("\(Self.name): belongs to another user", hint: "chown 0 \(Self.name)")
  }

  @Test(.enabled(if: geteuid() != 0, "root can read everything"))
  func aFileThatCannotBeReadIsNamed() async throws {
    try directory.write("", mode: 0)
    try await expect("\(Self.name): permission denied", hint: nil)
  }

  @Test func aDirectoryInPlaceOfTheFileIsRefused() async throws {
    try FileManager.default.createDirectory(atPath: directory.main, withIntermediateDirectories: false)
    try await expect("\(Self.name): is a directory", hint: "put a file in its place")
  }

  @Test func aFIFOIsRefusedAtOnce() async throws {
    mkfifo(directory.main, 0o600)
    try await expect("\(Self.name): is not a regular file", hint: "put a file in its place")
  }

  @Test func aSymbolicLinkToNothingIsNotTakenForNoFile() async throws {
    symlink("/nonexistent/keyrack.conf", directory.main)
    try await expect("\(Self.name): is a symbolic link to nothing", hint: "rm \(Self.name)")
  }

  @Test func aFileInPlaceOfTheDirectoryIsRefused() async throws {
    try directory.write("", to: "keyrack.conf.d")
    try await expect("\(Self.name).d: not a directory", hint: nil)
  }

  @Test func aFileOverOneMebibyteIsRefused() async throws {
    let line = "# " + String(repeating: "x", count: 1021) + "\n"
    try directory.write(String(repeating: line, count: 1024))
    #expect(try await directory.failure() == nil)
    try directory.write(String(repeating: line, count: 1024) + "#")
    try await expect("\(Self.name): is larger than 1024 KiB", hint: "move parts of it to other files")
  }

  @Test func bytesThatAreNotUTF8AreRefusedWithTheirLine() async throws {
    try directory.write(Array("[account a]\n# ".utf8) + [0xC3, 0x28])
    try await expect("\(Self.name):2: not UTF-8", hint: "save the file as UTF-8")
  }

  @Test func aCertificateFileThatOthersCanWriteIsRefused() async throws {
    try directory.write("", to: "ca.pem", mode: 0o666)
    try directory.write(
      "[provider p]\nclient_id=c\ntoken_endpoint=https://h/t\nca_file=~/.config/keyrack/ca.pem\n")
    try await expect(
      "\(Self.name):4: [provider p] ca_file: ~/.config/keyrack/ca.pem: can be written by other users",
      hint: "chmod go-w ~/.config/keyrack/ca.pem")
  }

  private func expect(_ message: String, hint: String?) async throws {
    #expect(try await directory.failure() == ConfigurationError(message, hint: hint))
  }
}
