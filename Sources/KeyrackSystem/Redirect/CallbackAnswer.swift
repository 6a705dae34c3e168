import CGLib
import KeyrackCore
import KeyrackProtocol

/// What a browser gets: a status and a page of plain HTML, with nothing to load and nothing to run.
struct CallbackAnswer {
  let status: UInt32
  let title: String
  /// A sentence or two. Escaped in ``html``.
  let text: String

  private init(_ status: UInt32, _ title: String, _ text: String) {
    self.status = status
    self.title = title
    self.text = text
  }

  static let nothing = CallbackAnswer(200, "", "")
  static let malformed = CallbackAnswer(400, "Not understood", "This request is malformed. \(still)")
  static let notFound = CallbackAnswer(404, "Not found", "There is nothing here.")
  static let methodNotAllowed = CallbackAnswer(405, "Not allowed", "Only GET, HEAD and POST are allowed here.")
  static let bodyTooLarge = CallbackAnswer(413, "Too large", "This form is too large. \(still)")
  static let otherType = CallbackAnswer(415, "Not understood", "This is not a form. \(still)")
  static let otherHost = CallbackAnswer(421, "Wrong address", "Nothing is here by this name.")
  static let headTooLarge = CallbackAnswer(431, "Too large", "This request is too large. \(still)")
  /// Of a fragment, the part after `#`, a browser tells nobody.
  static let noResponse = CallbackAnswer(
    200, "Nothing received",
    "The address holds no answer of the provider that Keyrack can see. "
      + "Copy the whole address of this page, run “keyrack login --paste” in the terminal, and paste it there.")

  private static let still = "If you were signing in, go back to the terminal."

  /// For text of a provider: what is in `secrets` is left out of it.
  init(_ page: CallbackPage, withholding secrets: [Secret]) {
    let terminal = "Go back to the terminal"
    self =
      switch page {
      case .working:
        .init(200, "Received", "The answer of the provider has arrived. \(terminal) to see whether the sign-in worked.")
      case .signedIn: .init(200, "Signed in", "The sign-in worked. You can close this window.")
      case .denied: .init(200, "Not signed in", "The sign-in was refused. \(terminal) to try again.")
      case .failed(let why):
        .init(400, "Not signed in", "The sign-in failed: \(OneLine.text(why, redacting: secrets)). \(terminal).")
      case .unknownState:
        .init(
          400, "Not signed in", "No sign-in waits for this answer; it may have ended. \(terminal) to start another.")
      case .alreadyUsed:
        .init(400, "Received before", "This answer came before, and was not used again. \(terminal).")
      }
  }

  /// Empty for an answer without words.
  var html: String {
    if title.isEmpty { return "" }
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>\(title) - Keyrack</title></head>
      <body><h1>\(title)</h1><p>\(Self.escaped(text))</p></body>
      </html>

      """
  }

  /// For every answer. The address of the page holds the code: it goes nowhere from here.
  var headers: [(name: String, value: String)] {
    let all = [
      ("Content-Type", "text/html; charset=utf-8"), ("Connection", "close"), ("Cache-Control", "no-store"),
      ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
      (
        "Content-Security-Policy",
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
      ),
    ]
    return status == 405 ? all + [("Allow", "GET, HEAD, POST")] : all
  }

  private static func escaped(_ text: String) -> String {
    guard let escaped = unsafe g_markup_escape_text(text, -1) else { return "" }
    defer { unsafe g_free(escaped) }
    return unsafe String(cString: escaped)
  }
}
