import Glibc
import KeyrackProtocol

/// Where the configuration is, and whether it can be read. What is wrong in it the daemon knows better.
enum ConfigurationFileCheck {
  static var check: Check {
    let name = "configuration file"
    do throws(CommandFailure) {
      let path = try ConfigurationFile.usualPath()
      let isThere = try ConfigurationFile.contents(path) != nil
      let others = ConfigurationFile.fragments(of: path)
      for file in others + (isThere ? [path] : []) {
        // What GLib says of it may repeat a line of it.
        do throws(CommandFailure) { _ = try ConfigurationFile(path: file) } catch {
          return Check(
            .fail, name, "\(file) is not in the form of such a file", hint: "man keyrack.conf, keyrack reload")
        }
      }
      guard isThere || !others.isEmpty else {
        return Check(.warn, name, "\(path) is not there yet", hint: "keyrack account add NAME writes it")
      }
      let more = others.isEmpty ? "" : ", and \(others.count) in \(path).d"
      return Check(.ok, name, (isThere ? path : "no \(path)") + more)
    } catch {
      return Check(.fail, name, error.message, hint: error.hint ?? "see whom it belongs to, and its mode: ls -lL")
    }
  }
}
