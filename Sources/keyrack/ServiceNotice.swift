import Glibc

/// Tells systemd how it goes, where that has started this program: sd_notify(3).
enum ServiceNotice {
  static func send(_ text: String) {
    guard let name = unsafe getenv("NOTIFY_SOCKET").map({ unsafe String(cString: $0) }), name.count > 1 else { return }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var path = Array(name.utf8)
    guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    // One that is in no folder.
    if path[0] == UInt8(ascii: "@") { path[0] = 0 }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    _ = unsafe withUnsafePointer(to: &address) {
      let either = unsafe __CONST_SOCKADDR_ARG(__sockaddr_un__: $0)
      return unsafe sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), either, length)
    }
  }
}
