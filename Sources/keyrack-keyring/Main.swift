import CSecret
import Glibc
import KeyrackProtocol

/// Speaks to the Secret Service for `keyrackd`, which holds the other end of the socket that is descriptor 0. Ends with
/// that socket. A call that hangs is the daemon's to end, by killing this process.
@main struct Main {
  static func main() {
    var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
    guard keyrack_harden_helper() == 0, unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore) == 0 else {
      exit(EXIT_FAILURE)
    }
    // The daemon may go away while an answer is on its way.
    signal(SIGPIPE, SIG_IGN)
    let channel = Channel(descriptor: STDIN_FILENO)
    let keyring = KeyringCalls(channel: channel)
    while let call = channel.next() { channel.send(keyring.answer(call)) }
  }
}
