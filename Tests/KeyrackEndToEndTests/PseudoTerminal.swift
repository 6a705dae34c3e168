import Glibc

/// A terminal whose person is the test.
final class PseudoTerminal: Sendable {
  /// The end that programs open.
  let path: String
  private let person: Int32
  /// Held open so that it lives on between programs.
  private let screen: Int32

  init() throws {
    person = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)
    var name = [CChar](repeating: 0, count: 128)
    guard person >= 0, grantpt(person) == 0, unlockpt(person) == 0, ptsname_r(person, &name, name.count) == 0 else {
      throw SystemFailure(code: errno)
    }
    path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    screen = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
  }

  deinit {
    close(screen)
    close(person)
  }

  /// Whether what is typed is shown.
  var isEchoing: Bool {
    var settings = termios()
    tcgetattr(screen, &settings)
    return settings.c_lflag & tcflag_t(ECHO) != 0
  }

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { write(person, $0.baseAddress, $0.count) }
  }

  /// What was shown up to the end of `text`.
  func read(until text: String) -> String {
    var shown: [UInt8] = []
    var byte: UInt8 = 0
    while !shown.suffix(text.utf8.count).elementsEqual(text.utf8), Glibc.read(person, &byte, 1) == 1 {
      shown.append(byte)
    }
    return String(decoding: shown, as: UTF8.self)
  }
}
