import CSystemd
import Glibc

/// The `systemd --user` of this user, which answers.
struct UserManager: Sendable {
  private static let patience = Duration.seconds(2)
  /// How much longer than its hook a unit may live, should nobody end it.
  private static let grace = Duration.seconds(5)

  private let runtimeDirectory: String
  private let systemdRun: String
  /// What it gives to all that it starts.
  let variables: [String: String]

  /// Nil where there is none, or it cannot start what is asked of it. Blocks, for two seconds at most.
  init?(for environment: [String: String]) {
    guard let directory = environment["XDG_RUNTIME_DIR"], directory.hasPrefix("/"),
      // systemd-run needs the bus, too.
      unsafe access("\(directory)/bus", W_OK) == 0,
      let program = Self.systemdRun(in: environment["PATH"] ?? "/usr/bin:/bin"),
      let variables = Self.variables(at: "\(directory)/systemd/private")
    else { return nil }
    runtimeDirectory = directory
    systemdRun = program
    self.variables = variables
  }

  /// What starts these words in a transient unit, with its own standard streams, and waits for its end.
  func command(for hook: Hook, running words: [String], adding variables: [String: String]) -> [String] {
    let seconds = (hook.limit + Self.grace).components.seconds
    let unit = "keyrack-\(hook.name)-\(String(UInt64.random(in: 0 ... .max), radix: 16)).service"
    let options = [
      "--user", "--collect", "--quiet", "--wait", "--pipe", "--unit=\(unit)", "--description=Keyrack \(hook.name)",
      // What it leaves running on purpose, such as an agent, stays, as it would without systemd.
      "--property=KillMode=process", "--property=RuntimeMaxSec=\(seconds)", "--property=TimeoutStopSec=2",
      "--property=IgnoreSIGPIPE=no",
    ]
    // The manager takes $NAME for its variables.
    let escaped = words.map { $0.replacing("$", with: "$$") }
    return [systemdRun] + options + variables.map { "--setenv=\($0)=\($1)" }.sorted() + ["--"] + escaped
  }

  /// With the bus that this manager is on, whichever the daemon's is.
  func environment(of daemon: [String: String]) -> [String: String] {
    daemon.merging(["DBUS_SESSION_BUS_ADDRESS": Self.address("\(runtimeDirectory)/bus")]) { $1 }
  }

  private static func systemdRun(in path: String) -> String? {
    path.split(separator: ":").map { "\($0)/systemd-run" }.first { unsafe $0.hasPrefix("/") && access($0, X_OK) == 0 }
  }

  private static func variables(at socket: String) -> [String: String]? {
    var connection: OpaquePointer?
    guard unsafe sd_bus_new(&connection) >= 0, let bus = unsafe connection else { return nil }
    defer { unsafe sd_bus_close_unref(bus) }
    guard unsafe sd_bus_set_address(bus, address(socket)) >= 0,
      unsafe sd_bus_set_method_call_timeout(bus, UInt64(patience / .microseconds(1))) >= 0,
      unsafe sd_bus_start(bus) >= 0, unsafe BusConnection.isReady(bus, within: patience)
    else { return nil }
    var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let result = unsafe sd_bus_get_property_strv(
      bus, "org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager", "Environment",
      nil, &list)
    guard result >= 0, let list = unsafe list else { return nil }
    return unsafe take(list)
  }

  /// Frees the list.
  private static func take(_ list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> [String: String] {
    var variables: [String: String] = [:]
    var next = unsafe list
    while let entry = unsafe next.pointee {
      let parts = unsafe String(cString: entry).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
      unsafe free(entry)
      unsafe next += 1
    }
    unsafe free(list)
    return variables
  }

  /// An address of D-Bus.
  private static func address(_ socket: String) -> String {
    let plain = Set("-_/.*abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)
    let path = socket.utf8.map { byte in
      if plain.contains(byte) { return String(UnicodeScalar(byte)) }
      let digits = String(byte, radix: 16)
      return "%" + (digits.count < 2 ? "0" : "") + digits
    }
    return "unix:path=\(path.joined())"
  }
}
