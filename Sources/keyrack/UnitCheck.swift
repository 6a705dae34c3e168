import Glibc
import KeyrackProtocol

/// What systemd says of the socket unit. It is asked in the background from the start, for 5 s at most.
struct UnitCheck {
  private static let name = "unit"
  private static let unit = "keyrack.socket"

  private let systemctl: Subprocess?

  init() {
    guard Self.hasUserManager else {
      systemctl = nil
      return
    }
    let question = ["show", Self.unit, "--property=LoadState,ActiveState,UnitFileState"]
    systemctl = try? Subprocess("timeout", ["5", "systemctl", "--user"] + question)
  }

  private static var hasUserManager: Bool {
    guard let directory = unsafe getenv("XDG_RUNTIME_DIR") else { return false }
    return unsafe access(String(cString: directory) + "/systemd/private", F_OK) == 0
  }

  /// Waits for the answer.
  var check: Check {
    guard let systemctl else {
      return Check(.ok, Self.name, "there is no user manager of systemd here: keyrackd has to be started by hand")
    }
    var properties: [String: String] = [:]
    while let line = systemctl.line() {
      let parts = String(decoding: line, as: UTF8.self).split(separator: "=", maxSplits: 1)
      if parts.count == 2 { properties[String(parts[0])] = String(parts[1]) }
    }
    guard systemctl.status() == 0, let isActive = properties["ActiveState"] else {
      return Check(
        .warn, Self.name, "systemctl --user could not tell how \(Self.unit) is", hint: "systemctl --user status")
    }
    return Self.check(isLoaded: properties["LoadState"] == "loaded", isActive, properties["UnitFileState"] ?? "")
  }

  private static func check(isLoaded: Bool, _ active: String, _ file: String) -> Check {
    let enable = "systemctl --user enable --now \(unit)"
    guard isLoaded else {
      return Check(.warn, name, "\(unit) is not installed", hint: "see \"Install\" in the README of Keyrack")
    }
    if active == "failed" {
      return Check(.fail, name, "\(unit) has failed", hint: "systemctl --user status \(unit)")
    }
    switch (active == "active", file.hasPrefix("enabled")) {
    case (true, true): return Check(.ok, name, "\(unit) is enabled and active")
    case (true, false): return Check(.warn, name, "\(unit) is active, but not enabled for the next login", hint: enable)
    case (false, true): return Check(.warn, name, "\(unit) is enabled, but not active now", hint: enable)
    case (false, false): return Check(.warn, name, "\(unit) is neither enabled nor active", hint: enable)
    }
  }
}
