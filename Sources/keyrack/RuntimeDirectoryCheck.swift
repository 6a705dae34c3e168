import Glibc
import KeyrackProtocol

/// `XDG_RUNTIME_DIR`, where the socket is and much else that the daemon needs.
enum RuntimeDirectoryCheck {
  static var check: Check {
    let name = "runtime directory"
    let variable = unsafe getenv("XDG_RUNTIME_DIR").map { unsafe String(cString: $0) } ?? ""
    guard variable.hasPrefix("/") else {
      return Check(
        unsafe getenv("KEYRACK_SOCKET") == nil ? .fail : .warn, name,
        variable.isEmpty ? "XDG_RUNTIME_DIR is not set" : "XDG_RUNTIME_DIR is no absolute path",
        hint: "log in by way of systemd-logind, which su and sudo do not, or set KEYRACK_SOCKET")
    }
    let path = variable
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      return Check(
        .fail, name, "\(path): \(unsafe String(cString: strerror(errno)))",
        hint: "log in by way of systemd-logind, which makes it")
    }
    guard status.st_uid == geteuid() else {
      return Check(
        .fail, name, "\(path) belongs to user \(status.st_uid), and this runs as user \(geteuid())",
        hint: "run keyrack as the user who has logged in")
    }
    guard status.st_mode & 0o077 == 0 else {
      return Check(.warn, name, "others can look into \(path)", hint: "chmod 700 \(path)")
    }
    return Check(.ok, name, path)
  }
}
