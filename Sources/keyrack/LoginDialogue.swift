import Glibc
import KeyrackClient
import KeyrackProtocol

/// What a sign-in asks of the person at the terminal.
struct LoginDialogue {
  let account: String
  let method: LoginOperation.Method?
  let opensBrowser: Bool
  /// Whether it is said what is waited for.
  let showsProgress: Bool

  func show(_ event: LoginEvent) throws {
    switch event {
    case .authorize(let authorize): try show(authorize)
    case .device(let device): show(device)
    }
  }

  private func show(_ event: LoginEvent.Authorize) throws {
    if method == .paste { return try paste(event) }
    let isOpened = opensBrowser && Browser.open(event.url)
    Output.note(isOpened ? "a browser opens; if none does, open this address:" : "open this address in a browser:")
    Output.note(event.url)
    if !isOpened {
      Output.note("on another machine? keyrack login \(account) --paste, or --device where the provider has it")
    }
    wait(for: "the browser", until: event.expiresAt)
  }

  private func wait(for what: String, until end: Int) {
    guard showsProgress else { return }
    let left = RelativeTime.length(max(0, end - time(nil)))
    Output.progress("waiting for \(what), \(left) left; Ctrl-C ends the sign-in")
  }

  private func show(_ event: LoginEvent.Device) {
    let url = event.verificationURIComplete ?? event.verificationURI
    if isatty(STDERR_FILENO) == 1, let code = QRCode(url) { Output.picture(code.lines) }
    Output.note("on any device, open \(event.verificationURI) and enter the code")
    Output.note("    \(event.userCode)")
    if let complete = event.verificationURIComplete { Output.note("or open \(complete)") }
    wait(for: "that", until: event.expiresAt)
  }

  /// An address of another sign-in is no reason to give up.
  private func paste(_ event: LoginEvent.Authorize) throws {
    Output.note("open this address in a browser, on any machine:")
    Output.note(event.url)
    Output.note("sign in there. At the end the browser shows a page that it cannot load, or one that makes no sense:")
    Output.note("copy that address from its address bar.")
    let terminal = try Terminal(instead: "keyrack login \(account) --device, where the provider has it")
    while true {
      // Not shown: it has a code in it, which would stay in the terminal's scrollback.
      let address = try terminal.ask("paste the address here (it is not shown): ", showing: false, longest: 16 << 10)
      if address.isEmpty { throw CommandFailure(status: 1, "no address was given: the sign-in was canceled") }
      do {
        _ = try Client().call(LoginResponseOperation(account: account, url: Secret(address)))
        return
      } catch let error as ReplyError where error.code == .stateMismatch || error.code == .badRequest {
        let failure = CommandFailure(error)
        // A request is told which member of it that is; a person need not know.
        let message = String(failure.message.trimmingPrefix("url: "))
        Output.failure(CommandFailure(status: failure.status, message, hint: failure.hint))
      } catch let error as ReplyError where error.code == .noLoginPending {
        // Ended meanwhile: how is told by the sign-in itself.
        return
      }
    }
  }
}
