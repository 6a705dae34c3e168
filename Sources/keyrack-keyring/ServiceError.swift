import CSecret
import Glibc

/// What went wrong at the Secret Service, told by domain and code alone: texts are translated.
enum ServiceError: Error {
  /// And nobody could or would unlock it.
  case locked
  /// No session bus, no Secret Service, or it could not be started.
  case unavailable(String)
  /// What libsecret remembers of the service may be out of date, because the service was started anew; or there is none.
  case stale(String)
  /// This process will not reach the session bus again.
  case busLost
  case failed(String)
}

extension ServiceError {
  /// Takes an error of GLib's and releases it. `phase` is what was tried.
  init(_ phase: String, taking error: UnsafeMutablePointer<GError>?) {
    guard let error = unsafe error else {
      self = .failed("\(phase): the Secret Service gave no reason")
      return
    }
    defer { unsafe g_error_free(error) }
    let (domain, code) = unsafe (error.pointee.domain, UInt32(bitPattern: error.pointee.code))
    let name = unsafe g_quark_to_string(domain).map { unsafe String(cString: $0) } ?? "unknown"
    let message = Self.words(phase, domain, code) ?? "\(phase): \(name) \(code)"
    switch domain {
    case g_dbus_error_quark(): self = Self.ofBus(code, message)
    case g_io_error_quark(): self = Self.ofInput(code, message)
    case secret_error_get_quark() where code == SECRET_ERROR_IS_LOCKED.rawValue: self = .locked
    default: self = .failed(message)
    }
  }

  /// Of what is common.
  private static func words(_ phase: String, _ domain: GQuark, _ code: UInt32) -> String? {
    switch domain {
    // What gnome-keyring says where it cannot write its files.
    case g_dbus_error_quark() where code == G_DBUS_ERROR_FAILED.rawValue:
      "\(phase): the Secret Service failed, and does not say why"
    case g_dbus_error_quark()
    where code == G_DBUS_ERROR_SERVICE_UNKNOWN.rawValue || code == G_DBUS_ERROR_NAME_HAS_NO_OWNER.rawValue:
      "no program on the session bus offers a Secret Service"
    case g_io_error_quark() where code == UInt32(G_IO_ERROR_NOT_FOUND.rawValue):
      "the socket of the session bus is not there"
    case g_io_error_quark() where code == UInt32(G_IO_ERROR_CONNECTION_REFUSED.rawValue):
      "nobody listens on the socket of the session bus"
    default: nil
    }
  }

  private static func ofBus(_ code: UInt32, _ message: String) -> ServiceError {
    let restarted = [
      G_DBUS_ERROR_SERVICE_UNKNOWN, G_DBUS_ERROR_NAME_HAS_NO_OWNER, G_DBUS_ERROR_NO_REPLY,
      G_DBUS_ERROR_UNKNOWN_METHOD, G_DBUS_ERROR_UNKNOWN_OBJECT,
    ]
    if restarted.contains(where: { $0.rawValue == code }) { return .stale(message) }
    // Starting it failed, in one of the ways in which the bus can fail at that.
    let spawning = G_DBUS_ERROR_SPAWN_EXEC_FAILED.rawValue...G_DBUS_ERROR_SPAWN_FILE_INVALID.rawValue
    if spawning.contains(code) || code == G_DBUS_ERROR_TIMED_OUT.rawValue { return .unavailable(message) }
    return .failed(message)
  }

  private static func ofInput(_ code: UInt32, _ message: String) -> ServiceError {
    switch code {
    case UInt32(G_IO_ERROR_CLOSED.rawValue): .busLost
    case UInt32(G_IO_ERROR_DBUS_ERROR.rawValue): .stale(message)
    case UInt32(G_IO_ERROR_TIMED_OUT.rawValue): .unavailable(message)
    default: .failed(message)
    }
  }
}
