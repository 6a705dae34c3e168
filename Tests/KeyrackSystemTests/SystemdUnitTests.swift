import CSystemd
import Foundation
import KeyrackSystem
import Testing

private let user = "/user.slice/user-1000.slice/user@1000.service"

@Suite struct SystemdUnitTests {
  @Test(arguments: [
    ("/system.slice/cron.service", "cron.service", false),
    ("/system.slice/system-getty.slice/getty@tty1.service", "getty@tty1.service", false),
    ("/init.scope", "init.scope", false),
    ("/user.slice/user-1000.slice/session-3.scope", "session-3.scope", false),
    (user, "user@1000.service", false),
    ("\(user)/app.slice/mail.service", "mail.service", true),
    ("\(user)/app.slice/app-x.slice/mail.service/part/of.service", "mail.service", true),
    (
      "\(user)/app.slice/app-flatpak-org.example.Mail\\x2dBeta-7.scope",
      "app-flatpak-org.example.Mail\\x2dBeta-7.scope", true
    ),
    ("\(user)/_mail.mount", "mail.mount", true),
    ("\(user)/init.scope", "init.scope", true),
    ("/user.slice/user-1000.slice/session-3.scope/app.slice/mail.service", "mail.service", true),
    // Whose manager that is nobody knows.
    ("/user@x.service/mail.service", "user@x.service", false),
    ("/session-.scope/mail.service", "session-.scope", false),
    ("\(user)/app.slice/mail.service (deleted)", "mail.service", true),
  ])
  func isTheFirstBelowTheSlicesAndTheManager(_ path: String, _ name: String, _ isOfUser: Bool) throws {
    let unit = try #require(ControlGroup(Array("0::\(path)\n".utf8)).flatMap(SystemdUnit.init))
    #expect(unit.name == name)
    #expect(unit.isOfUser == isOfUser)
  }

  @Test(arguments: [
    "/", "", "/system.slice", "/docker/0123abcd/mail.service", "/mail@.service", "/@mail.service", "/.service",
    "/service",
    "/mail.elsewhere", "/ma il.service", "/m\u{e4}il.service", "/a@b.slice/mail.service",
  ])
  func whatIsNamedLikeNoneIsNone(_ path: String) {
    #expect(ControlGroup(Array("0::\(path)\n".utf8)).flatMap(SystemdUnit.init) == nil)
  }

  @Test(arguments: [
    ("12:cpu,cpuacct:/x\n1:name=systemd:/a.service\n0::/b.service\n", "a.service"),
    ("1:name=systemd:/\n0::/b.service\n", "b.service"), ("1:name=systemd:/a.service\n0::/\n", "a.service"),
    ("12:cpu,cpuacct:/x\n0::/b.service\n", "b.service"), ("0::/b.service", "b.service"),
    ("0::/a:b.service\n", "a:b.service"), ("12:cpu:/x.service\n", nil), ("\n0\n0:\n", nil), ("", nil),
  ])
  func isInTheHierarchyOfSystemd(_ text: String, _ name: String?) {
    #expect(ControlGroup(Array(text.utf8)).flatMap(SystemdUnit.init)?.name == name)
  }

  @Test(arguments: [
    ("/", "/a.service", "a.service"), ("/init.scope", "/a.service", "a.service"),
    ("/docker/1/init.scope", "/docker/1/system.slice/a.service", "a.service"),
    ("/docker/1", "/docker/1/a.service", "a.service"), ("/docker/1", "/docker/12/a.service", nil),
    ("/docker/1", "/docker/1", nil),
  ])
  func isCountedFromTheGroupOfTheSystem(_ manager: String, _ path: String, _ name: String?) {
    let root = ControlGroup.Root(manager: Array("0::\(manager)\n".utf8))
    #expect(ControlGroup(Array("0::\(path)\n".utf8), below: root).flatMap(SystemdUnit.init)?.name == name)
  }

  /// Of all processes that are here.
  @Test func isWhatTheLibrarySays() throws {
    let root = ControlGroup.Root(manager: try text(of: "1"))
    for entry in try FileManager.default.contentsOfDirectory(atPath: "/proc") {
      guard let process = Int32(entry), let text = try? text(of: entry) else { continue }
      let user = Self.name { sd_pid_get_user_unit(process, $0) }
      let system = Self.name { sd_pid_get_unit(process, $0) }
      // One that has moved or ended meanwhile says nothing.
      guard (try? self.text(of: entry)) == text else { continue }
      let unit = ControlGroup(text, below: root).flatMap(SystemdUnit.init)
      #expect(unit?.name == user ?? system, "\(String(decoding: text, as: UTF8.self))")
      #expect(unit?.isOfUser ?? false == (user != nil))
    }
  }

  private func text(of process: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: "/proc/\(process)/cgroup")))
  }

  private static func name(_ get: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard get(&text) >= 0, let text else { return nil }
    defer { free(text) }
    return String(cString: text)
  }
}
