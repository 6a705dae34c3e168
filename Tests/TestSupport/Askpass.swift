import Foundation
import Glibc

/// An askpass program whose person is the test.
package final class Askpass: Sendable {
  private let folder: TemporaryFolder
  /// Open for both, so that an answer may come before its question.
  private let answers: Int32

  package init() throws {
    folder = try TemporaryFolder()
    let script = """
      #!/bin/sh
      echo $$ >>\(folder.path)/pids
      printf '%s\\0' "$1" >>\(folder.path)/asked
      read -r answer <\(folder.path)/answers
      exit "$answer"

      """
    try script.write(toFile: "\(folder.path)/askpass", atomically: false, encoding: .utf8)
    chmod("\(folder.path)/askpass", 0o700)
    mkfifo("\(folder.path)/answers", 0o600)
    answers = open("\(folder.path)/answers", O_RDWR | O_CLOEXEC)
    guard answers >= 0 else { throw Child.Failure(description: "could not open the pipe of the answers") }
  }

  deinit { close(answers) }

  package var environment: [String: String] { ["SSH_ASKPASS": "\(folder.path)/askpass", "DISPLAY": ":9"] }

  /// All questions so far.
  package var asked: [String] { read("asked").split(separator: "\0").map(String.init) }

  /// Answers the question that is there, or else the next one: 0 is yes.
  package func answer(_ status: Int32) {
    let line = Array("\(status)\n".utf8)
    write(answers, line, line.count)
  }

  package func waitForQuestions(_ count: Int) async throws {
    try await eventually("\(count) questions", within: .seconds(10)) { asked.count >= count }
  }

  /// Waits until no dialog is there.
  package func waitForNone() async throws {
    let pids = read("pids").split(separator: "\n").map(String.init)
    // One that has ended and that nobody has looked at yet has no command line.
    try await eventually("the end of all dialogs", within: .seconds(10)) {
      pids.allSatisfy { (FileManager.default.contents(atPath: "/proc/\($0)/cmdline") ?? Data()).isEmpty }
    }
  }

  private func read(_ name: String) -> String {
    (try? String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)) ?? ""
  }
}
