import KeyrackCore
import KeyrackProtocol

@testable import KeyrackSystem

/// A request of a browser as libmicrohttpd hands it out, and an address that a person pastes.
enum CallbackFuzz {
  private static let redirect = OpenRedirect(
    uri: "http://127.0.0.1:8400/callback", authority: "127.0.0.1:8400", path: "/callback")

  static func run(_ input: [UInt8]) throws {
    try judgeRequest(input)
    try judgePasted(input)
    judgeRedirect(String(decoding: input, as: UTF8.self))
  }

  // MARK: Requests

  private static func judgeRequest(_ input: [UInt8]) throws {
    let (head, body) = parts(input)
    let lines = head.split(separator: "\n", omittingEmptySubsequences: false)
    let start = lines[0].split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
    let headers = lines.dropFirst().map { line in
      let name = line.prefix { $0 != ":" }
      return (name: String(name), value: String(line[name.endIndex...].dropFirst().trimmingWhitespace()))
    }
    var request = CallbackRequest(
      method: start[0], target: start.count > 1 ? start[1] : "", headers: headers, headSize: head.utf8.count)
    // As it does for the real one, a body that is far too long ends the connection.
    guard request.append(body) else { return }
    switch request.judged(by: [redirect]) {
    case .answer(let answer): try check(answer)
    case .response(let response, let redirectURI):
      try require(!response.isEmpty && redirectURI == redirect.uri, "a response without code and error")
      try check(CallbackAnswer(.failed(response.errorDescription ?? ""), withholding: []))
    }
  }

  /// A blank line ends the head.
  private static func parts(_ input: [UInt8]) -> (head: String, body: ArraySlice<UInt8>) {
    let end = input.indices.dropLast().first { input[$0] == 0x0A && input[$0 + 1] == 0x0A } ?? input.count
    // The library takes no NUL.
    let head = input[..<end].filter { $0 != 0 && $0 != 0x0D }
    return (String(decoding: head, as: UTF8.self), input[end...].dropFirst(2))
  }

  /// No page has an element that is not ours.
  private static func check(_ answer: CallbackAnswer) throws {
    let elements = answer.html.utf8.count { $0 == UInt8(ascii: "<") }
    try require(elements == (answer.title.isEmpty ? 0 : elementsOfPage), "a page with somebody's elements")
  }

  private static let elementsOfPage = CallbackAnswer.notFound.html.utf8.count { $0 == UInt8(ascii: "<") }

  // MARK: What is pasted

  private static func judgePasted(_ input: [UInt8]) throws {
    let address: PastedAddress
    do { address = try PastedAddress(Secret(input)) } catch {
      return try require(!error.message.contains("sent-9f1c2b7a5e"), "a message holds what was pasted")
    }
    try require(!address.response.isEmpty && address.response.state != nil, "a response without code or state")
    // Another place is never taken for this one, whatever its text looks like.
    if address.isOf(redirect.uri), let base = address.base {
      try require(base == redirect.uri, "an address elsewhere was taken: \(base)")
    }
  }

  private static func judgeRedirect(_ text: String) {
    guard let redirect = try? RedirectURI(text), case .loopback(let loopback) = redirect.place else { return }
    _ = redirect.text(port: 65535)
    _ = loopback.authority(port: 65535)
  }
}
