import CSystemd
import Glibc

/// What systemd passed to this process, sd_listen_fds(3).
enum ActivationSockets {
  /// Descriptors 3 and up, close-on-exec and not blocking; empty where this process was not activated. Clears the
  /// environment: call it before there are threads.
  static func take() throws(ListeningError) -> [Int32] {
    let count = sd_listen_fds(1)
    guard count >= 0 else { throw .refused("could not take the sockets of systemd: \(SystemError.text(of: -count))") }
    let descriptors = (0..<count).map { SD_LISTEN_FDS_START + $0 }
    for descriptor in descriptors {
      let flags = fcntl(descriptor, F_GETFL)
      _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
    }
    return descriptors
  }

  static func isListeningStream(_ descriptor: Int32) -> Bool {
    sd_is_socket_unix(descriptor, Int32(SOCK_STREAM.rawValue), 1, nil, 0) > 0
  }
}
