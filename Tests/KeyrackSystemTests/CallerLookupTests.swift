import CSystemd
import Foundation
import Glibc
import KeyrackCore
import KeyrackSystem
import TestSupport
import Testing

/// Clients in Python, for they have to be other processes.
@Suite(.timeLimit(.minutes(1))) struct CallerLookupTests {
  private static let ask = """
    import socket, sys, os
    def connect():
      s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.settimeout(20); return s
    def ask(s, line):
      s.sendall(line.encode() + b"\\n"); return s.makefile().readline()

    """

  private func run(_ script: String, in sandbox: [String] = []) async throws -> String {
    let fixture = try await ServerFixture()
    let result = try await Child.run(
      sandbox + ["python3", "-c", Self.ask + script, fixture.path], environment: ProcessInfo.processInfo.environment)
    #expect(result.status == 0, "\(result.error)")
    return result.output
  }

  @Test func theProgramIsTheOneThatConnected() async throws {
    let fixture = try await ServerFixture()
    let answer = try await fixture.client { try $0.ask("who") }
    #expect(answer.hasPrefix(try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")))
    #expect(answer.hasSuffix(", by pidfd") || answer.hasSuffix(", by proc"))
  }

  @Test func aScriptIsNamedByItsInterpreter() async throws {
    let answer = try await run("print(ask(connect(), 'who'))")
    #expect(answer.contains("/python3"))
    #expect(answer.contains("(an interpreter)"))
  }

  @Test(arguments: [true, false]) func whoInheritsAConnectionIsUnknown(_ isReaped: Bool) async throws {
    // The connecting process ends; its child asks. Then the end, for no more is answered.
    let answer = try await run(
      """
      go, ended = os.pipe(), os.pipe()
      p = os.fork()
      if p == 0:
        s = connect(); print(ask(s, 'who'), end='')
        sys.stdout.flush()
        if os.fork():
          os._exit(0)
        os.read(go[0], 1)
        print(ask(s, 'who'), end=''); print(repr(s.recv(9)))
        sys.stdout.flush(); os.write(ended[1], b'x'); os._exit(0)
      \(isReaped ? "os.waitpid(p, 0)" : "os.waitid(os.P_PID, p, os.WEXITED | os.WNOWAIT)")
      os.write(go[1], b'x'); os.read(ended[0], 1)
      """)
    let lines = answer.split(separator: "\n").map(String.init)
    #expect(lines.count == 3)
    #expect(lines.first?.contains("/python3") == true)
    #expect(lines.dropFirst().first == "an unknown program, by none")
    #expect(lines.last == "b''")
  }

  @Test func whatWasAskedForIsNotGivenToWhoInheritsTheConnection() async throws {
    let answer = try await run(
      """
      ended = os.pipe()
      p = os.fork()
      if p == 0:
        s = connect(); s.sendall(b'hold x\\n'); ask(s, 'echo y')
        if os.fork():
          os._exit(0)
        print(repr(s.recv(9))); sys.stdout.flush(); os.write(ended[1], b'x'); os._exit(0)
      os.waitpid(p, 0)
      print(ask(connect(), 'release x'), end=''); sys.stdout.flush()
      os.read(ended[0], 1)
      """)
    #expect(Set(answer.split(separator: "\n")) == ["released x", "b''"])
  }

  @Test func theProgramIsTheOneThatAsksFirst() async throws {
    let answer = try await run(
      """
      s = connect(); s.setblocking(True); os.dup2(s.fileno(), 9)
      os.execvp('bash', ['bash', '-c', 'echo who >&9; read -r line <&9; echo "$line"'])
      """)
    #expect(answer.contains("/bash (an interpreter)"))
  }

  @Test func whoHasEndedBeforeItAsksIsUnknown() async throws {
    let answer = try await run(
      """
      go, ended = os.pipe(), os.pipe()
      p = os.fork()
      if p == 0:
        s = connect()
        if os.fork():
          os._exit(0)
        os.read(go[0], 1)
        print(ask(s, 'who'), end=''); sys.stdout.flush(); os.write(ended[1], b'x'); os._exit(0)
      os.waitpid(p, 0); ask(connect(), 'who')
      os.write(go[1], b'x'); os.read(ended[0], 1)
      """)
    #expect(answer == "an unknown program, by none\n")
  }

  private static let unshare = geteuid() == 0 ? ["unshare", "--mount"] : ["unshare", "--mount", "--map-root-user"]

  @Test func aProcessInOtherNamespacesIsInAContainer() async throws {
    let answer = try await run("print(ask(connect(), 'who'))", in: Self.unshare)
    #expect(answer.contains("in a container"))
  }

  @Test func aFlatpakIsKnownByItsFile() async throws {
    let root = try TemporaryFolder()
    let script = """
      mount -t tmpfs none \(root.path) && cd \(root.path) || exit 1
      for d in usr bin lib lib64 etc tmp dev proc; do
        if [ -d /$d ]; then mkdir $d; mount --rbind /$d $d; fi
      done
      printf '[Application]\\nname=org.example.Mail\\n' >.flatpak-info
      exec /usr/sbin/chroot . "$@"
      """
    let answer = try await run("print(ask(connect(), 'who'))", in: Self.unshare + ["sh", "-c", script, "sh"])
    #expect(answer.hasPrefix("Flatpak org.example.Mail"))
  }

  @Test func anOlderKernelFindsTheProcessByItsNumber() throws {
    var ends: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { ends.forEach { close($0) } }
    let peer = try PeerProcess(connectedTo: ends[0], usesPeerHandle: false)
    #expect(peer.evidence == .number)
    #expect(peer.number == getpid())
    #expect(peer.isAlive)
    guard case .found(let caller) = try CallerLookup().lookUp(peer, on: ends[0]) else {
      Issue.record("not found")
      return
    }
    #expect(caller.program.confinement == nil)
    #expect(caller.program.executable?.isEmpty == false)
  }

  @Test(arguments: [("snap.mail-app.run (enforce)\0", "mail-app"), ("snap.x", "x"), ("unconfined", nil), ("", nil)])
  func aSnapIsKnownByItsLabel(_ label: String, _ name: String?) {
    #expect(SecurityLabel(Array(label.utf8)).snap == name)
  }
}
