import Glibc
import KeyrackProtocol

/// What systemd says of the units. It is asked for 5 s at most.
enum UnitCheck {
  private static let name = "unit"
  private static let socket = "keyrack.socket"
  private static let service = "keyrack.service"

  static func run() -> Check {
    guard hasUserManager else {
      return Check(.ok, name, "there is no user manager of systemd here: keyrackd has to be started by hand")
    }
    guard let units = units() else {
      return Check(.warn, name, "systemctl --user could not tell how \(socket) is", hint: "systemctl --user status")
    }
    return check(socket: units.socket, service: units.service)
  }

  private static var hasUserManager: Bool {
    guard let directory = unsafe getenv("XDG_RUNTIME_DIR") else { return false }
    return unsafe access(String(cString: directory) + "/systemd/private", F_OK) == 0
  }

  /// Their properties; nil without an answer.
  private static func units() -> (socket: [String: String], service: [String: String])? {
    let question = ["show", socket, service, "--property=LoadState,ActiveState,SubState,Result,UnitFileState"]
    guard let systemctl = try? Subprocess("timeout", ["5", "systemctl", "--user"] + question) else { return nil }
    // Of each unit a block of lines, with an empty one between them.
    var units: [[String: String]] = [[:]]
    while let line = systemctl.line() {
      let parts = String(decoding: line, as: UTF8.self).split(separator: "=", maxSplits: 1)
      if parts.count == 2 { units[units.count - 1][String(parts[0])] = String(parts[1]) }
      if line.isEmpty { units.append([:]) }
    }
    guard systemctl.status() == 0, units.count == 2 else { return nil }
    return (units[0], units[1])
  }

  private static func check(socket unit: [String: String], service: [String: String]) -> Check {
    let enable = "systemctl --user enable --now \(socket)"
    switch unit["LoadState"] {
    case "loaded": break
    case "masked":
      return Check(.warn, name, "\(socket) is masked", hint: "systemctl --user unmask \(socket), then \(enable)")
    default: return Check(.warn, name, "\(socket) is not installed", hint: "see \"Install\" in the README of Keyrack")
    }
    let active = unit["ActiveState"]
    if active != "inactive", let check = check(service: service) { return check }
    if active == "failed" {
      return Check(
        .fail, name, "\(socket) has failed",
        hint: "systemctl --user start \(socket); why it has: systemctl --user status \(socket)")
    }
    switch (active == "active", unit["UnitFileState"]?.hasPrefix("enabled") == true) {
    case (true, true): return Check(.ok, name, "\(socket) is enabled and active")
    case (true, false):
      return Check(.warn, name, "\(socket) is active, but not enabled for the next login", hint: enable)
    case (false, true): return Check(.warn, name, "\(socket) is enabled, but not active now", hint: enable)
    case (false, false): return Check(.warn, name, "\(socket) is neither enabled nor active", hint: enable)
    }
  }

  /// Why the socket unit cannot start the service, or cannot keep it up; nil where it can.
  private static func check(service unit: [String: String]) -> Check? {
    switch unit["LoadState"] {
    case "loaded": break
    case "masked":
      return Check(
        .fail, name, "\(service) is masked",
        hint: "systemctl --user unmask \(service), then systemctl --user start \(socket)")
    default:
      return Check(.fail, name, "\(service) is not installed", hint: "see \"Install\" in the README of Keyrack")
    }
    guard unit["SubState"] == "auto-restart" || unit["ActiveState"] == "failed" else { return nil }
    return Check(
      .fail, name, "\(service) does not stay up (\(unit["Result"] ?? "failed"))",
      hint: "why it ends: journalctl --user -u \(service) -e")
  }
}
