import KeyrackCore
import KeyrackProtocol

extension ConfirmationQuestion {
  /// Characters of a name that a program chose; the ends of longer ones tell most.
  private static let shown = 160

  /// What the person reads: plain text, a few lines, whatever the names in it are.
  var text: String {
    var lines = [
      "Keyrack: may this program have a token of the account \(Self.clean(account))?", "", "Program: \(what)",
    ]
    if let unit = program.unit { lines.append("Unit: \(Self.clean(unit))") }
    lines += ["", "Yes counts \(lifetime.map { "for \(Self.words($0))" } ?? "once")."]
    return lines.joined(separator: "\n")
  }

  private var what: String {
    let executable = program.executable.map(Self.clean)
    return switch program.confinement {
    case .flatpak(let name): "Flatpak \(Self.clean(name))"
    case .snap(let name): "Snap \(Self.clean(name))"
    case .container: "\(executable ?? "unknown"), in a container"
    case .unknown: "unknown"
    case nil: (program.isScript ? "a script run by " : "") + (executable ?? "unknown")
    }
  }

  /// One line of limited length, in which nothing drives a terminal or is markup to a dialog.
  private static func clean(_ name: String) -> String {
    let text = name.printable.replacing("&", with: "\\u{26}").replacing("<", with: "\\u{3C}")
    guard text.count > shown else { return text }
    return "\(text.prefix(shown / 2))…\(text.suffix(shown / 2))"
  }

  private static func words(_ lifetime: Duration) -> String {
    let seconds = lifetime.components.seconds
    let units = [(86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")] as [(Int64, String)]
    let (length, unit) = units.first { seconds % $0.0 == 0 } ?? (1, "second")
    return "\(seconds / length) \(unit)\(seconds == length ? "" : "s")"
  }
}
