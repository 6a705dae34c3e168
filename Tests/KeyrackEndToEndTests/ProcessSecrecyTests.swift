import Foundation
import Glibc
import KeyrackProtocol
import TestSupport
import Testing

/// What another program of the same user can see of the daemon's process, and what its death leaves.
@Suite(.timeLimit(.minutes(2))) struct ProcessSecrecyTests {
  /// A process of the same user that refuses nothing; what becomes it, setpriv, does.
  private func other(_ wrapper: [String] = []) async throws -> Child {
    let other = try OrdinaryUser.start(wrapper + ["sleep", "60"])
    try await eventually("sleep") {
      try String(contentsOfFile: "/proc/\(other.pid)/comm", encoding: .utf8) == "sleep\n"
    }
    return other
  }

  @Test func theSameUserCannotReadMemoryOrEnvironment() async throws {
    let daemon = try await OrdinaryDaemon()
    let other = try await other()
    for file in ["mem", "environ", "maps", "auxv"] {
      let allowed = try await OrdinaryUser.run("head", "-c", "0", "/proc/\(other.pid)/\(file)")
      #expect(allowed.status == 0, "\(allowed.error)")
      let run = try await OrdinaryUser.run("head", "-c", "0", "/proc/\(daemon.process.pid)/\(file)")
      #expect(run.status != 0)
      #expect(run.error.contains("Permission denied"), "\(file)")
    }
    let descriptors = try await OrdinaryUser.run("ls", "/proc/\(daemon.process.pid)/fd")
    #expect(descriptors.status != 0)
  }

  @Test func theSameUserCannotTraceIt() async throws {
    let daemon = try await OrdinaryDaemon()
    let other = try await other()
    func trace(_ pid: Int32) async throws -> Child.Result {
      try await OrdinaryUser.run("timeout", "1", "strace", "-o", "/dev/null", "-p", "\(pid)")
    }
    let allowed = try await trace(other.pid)
    guard !allowed.error.contains("Operation not permitted") else {
      try Test.cancel("nobody can trace anything here")
    }
    let run = try await trace(daemon.process.pid)
    #expect(run.error.contains("Operation not permitted"), "\(run.error)")
    #expect(try await daemon.ask().output.contains(#""ok":true"#))
  }

  @Test(arguments: [SIGSEGV, SIGABRT])
  func aCrashLeavesNoCore(_ signal: Int32) async throws {
    let daemon = try await OrdinaryDaemon()
    let pattern = try String(contentsOfFile: "/proc/sys/kernel/core_pattern", encoding: .utf8)
    let limits = try String(contentsOfFile: "/proc/\(daemon.process.pid)/limits", encoding: .utf8)
    let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
    #expect(line.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
    daemon.process.send(signal)
    #expect(try await daemon.process.wait() == 128 + signal)
    if pattern.hasPrefix("|") || pattern.contains("/") { return }
    #expect(try FileManager.default.contentsOfDirectory(atPath: daemon.work).isEmpty)
    // That there would be one.
    let other = try await other(["env", "-C", daemon.work, "prlimit", "--core=unlimited"])
    other.send(signal)
    _ = try await other.wait()
    #expect(try FileManager.default.contentsOfDirectory(atPath: daemon.work).isEmpty == false)
  }

  @Test(.enabled(if: geteuid() == 0, "only root sees what the daemon's processes have open"))
  func noChildHasADescriptorOfTheDaemons() async throws {
    let folder = try TemporaryFolder()
    let dump = "\(folder.path)/dump"
    let command = "ls -l /proc/self/fd >\(dump); env >>\(dump); printf secret"
    let fixture = try await KeyrackFixture { provider in
      KeyrackFixture.browser("password_grant=true\nclient_secret_command=\(command)")(provider)
    }
    let clients = try (0..<20).map { _ in try Wire(fixture.daemon.socket) }
    try await fixture.signIn()
    let daemon = try ProcessDescriptors(await fixture.daemon.pid)
    #expect(daemon.targets.count > 2 * clients.count)
    // All that are anonymous have the same name.
    let own = Set(daemon.targets.filter { $0.key > 2 && !$0.value.hasPrefix("anon_inode:") }.values)
    let helper = try ProcessDescriptors(await fixture.helper())
    // The two ends of one pipe have one name: these are the channel between the two.
    let shared = helper.targets.filter { own.contains($0.value) }
    #expect(shared.keys.allSatisfy { $0 <= 1 }, "\(shared)")
    let seen = try String(contentsOfFile: dump, encoding: .utf8)
    for target in own where !target.hasPrefix("pipe:") { #expect(!seen.contains(target), "\(target)") }
    #expect(seen.contains("HOME="))
    withExtendedLifetime(clients) {}
  }
}
