import Glibc

/// The person's browser.
enum Browser {
  /// False where there is none to be opened. It is not waited for.
  static func open(_ url: String) -> Bool {
    guard let command = command else { return false }
    // The address is an argument of the shell's, so that nothing in it is taken for a command.
    let line = command.contains("%s") ? command.replacing("%s", with: #""$1""#) : command + #" "$1""#
    return start(["/bin/sh", "-c", line, "sh", url])
  }

  /// What the person chose, else what the desktop has.
  private static var command: String? {
    if let file = try? ConfigurationFile(), let command = file.string("browser_command", group: "keyrack") {
      return command
    }
    // A list, by convention: the first one.
    if let browsers = environment("BROWSER")?.split(separator: ":").first { return String(browsers) }
    let isOnDesktop = environment("WAYLAND_DISPLAY") != nil || environment("DISPLAY") != nil
    return isOnDesktop ? "xdg-open" : nil
  }

  private static func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// In a session of its own: Ctrl-C here does not end it there. What it prints is of no interest.
  private static func start(_ arguments: [String]) -> Bool {
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    for (number, flags) in [(STDIN_FILENO, O_RDONLY), (STDOUT_FILENO, O_WRONLY), (STDERR_FILENO, O_WRONLY)] {
      unsafe posix_spawn_file_actions_addopen(&actions, number, "/dev/null", flags, 0)
    }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK))
    var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var process = pid_t()
    return unsafe posix_spawn(&process, arguments[0], &actions, &attributes, &words, environ) == 0
  }
}
