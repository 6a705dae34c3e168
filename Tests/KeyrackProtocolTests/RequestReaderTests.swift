import KeyrackProtocol
import Testing

@Suite struct RequestReaderTests {
  func read(_ text: String) throws(RequestError) -> Request { try read(Array(text.utf8)) }

  func read(_ bytes: [UInt8]) throws(RequestError) -> Request {
    var line = bytes
    return try RequestReader().read(&line)
  }

  func failure(_ text: String) -> RequestError? {
    do { _ = try read(text) } catch { return error }
    return nil
  }

  @Test func aRequestCarriesItsMembersAndItsID() throws {
    let request = try read(#"{"op":"token","id":"a-1","account":"work","min_valid":5,"timeout":7}"#)
    #expect(request.id == .text("a-1"))
    guard case .token(let token) = request.call else { return #expect(Bool(false)) }
    #expect(token.account == "work")
    #expect(token.minimumValidity == 5)
    #expect(token.timeout == 7)
  }

  @Test(arguments: [
    (#"{"op":"token","account":"a","op":"logout"}"#, "duplicate member \"op\", at byte 32"),
    (#"{"op":"token","\u006fp":"logout"}"#, "duplicate member \"op\", at byte 23"),
    (#"{"op":"token","account":"a","resource":{"x":1,"x":2}}"#, "duplicate member \"x\", at byte 49"),
    (#"{"op":"version","a\n":1,"a\u000a":2}"#, "duplicate member \"a\\u{A}\", at byte 33"),
    (#"{"op":"token","account":"a\u0000b"}"#, "\\u0000, at byte 27"),
    (#"{"op":"token","account":"\ud800"}"#, "half a surrogate pair, at byte 26"),
    (#"{"op":"token","account":"\udc00"}"#, "half a surrogate pair, at byte 26"),
    ("{\"op\":\"token\",\"account\":\"a\u{0}b\"}", "a NUL byte, at byte 27"),
    ("\u{FEFF}{\"op\":\"version\"}", "not a JSON object, at byte 1"),
    ("[]", "not a JSON object, at byte 1"),
    ("hello", "not a JSON object, at byte 1"),
    ("", "not a JSON object, at byte 1"),
    ("{\"op\":\"token\",\"account\":\"a\tb\"}", "a control character in a string, at byte 27"),
    (#"{"op":"version",}"#, "a comma before nothing, at byte 17"),
    (#"{"op":"token","account":"a","resource":["x", ]}"#, "a comma before nothing, at byte 46"),
    (#"{"op":"version","id":01}"#, "id: expected a string or a whole number"),
    (#"{"op":"token","account":"a","min_valid":060}"#, "min_valid: expected a whole number"),
    (#"{"op":"version""#, "not JSON"),
    (#"{"op":"version"} trailing"#, "not JSON"),
    (#"{"op":"version"}{"op":"version"}"#, "not JSON"),
    (#"{"op":"version""id":1}"#, "not JSON"),
    (#"{"op":"token","account":"work}"#, "a string without an end, at byte 31"),
    (#"{"account":"work"}"#, "op: missing"),
    (#"{"op":7}"#, "op: expected a string"),
    (#"{"op":"token","account":7}"#, "account: expected a string"),
    (#"{"op":"token","account":"a","min_valid":"60"}"#, "min_valid: expected a whole number"),
    (#"{"op":"token","account":"a","min_valid":1e999}"#, "min_valid: expected a whole number"),
    (#"{"op":"token","account":"a","min_valid":9223372036854775808}"#, "min_valid: expected a whole number"),
    (#"{"op":"token","account":"a","min_valid":-0}"#, "min_valid: expected a whole number"),
    (#"{"op":"token","account":"a","min_valid":1e3}"#, "min_valid: expected a whole number"),
    (#"{"op":"token","account":"a","kind":"other"}"#, "kind: \"other\" is not one of access, id"),
    (#"{"op":"token","account":"a","kind":5}"#, "kind: expected a string"),
    (#"{"op":"subscribe","accounts":"a"}"#, "accounts: expected an array"),
    (#"{'op':'version'}"#, "a name without double quotes, at byte 2"),
    (#"{"op":"token",account:"a"}"#, "a name without double quotes, at byte 15"),
    (#"{"op":"token","resource":{1}}"#, "a name without double quotes, at byte 27"),
    (#"{"op":"logout","account":"a","wait":1}"#, "wait: expected true or false"),
    (#"{"op":"logout"}"#, "account: missing"),
    (#"{"op":"token","account":"a","min_vaild":60}"#, "min_vaild: token has no such member"),
    (#"{"op":"version","account":"a"}"#, "account: version has no such member"),
    (#"{"op":"token","id":1.5,"account":"a"}"#, "id: expected a string or a whole number"),
    (#"{"op":"token","id":[1],"account":"a"}"#, "id: expected a string or a whole number"),
  ])
  func aBadRequestIsNamedAndPlaced(_ line: String, _ message: String) throws {
    let error = try #require(failure(line))
    #expect(error.error.code == .badRequest)
    #expect(error.error.message == message)
  }

  @Test("A refused line's id comes back, but not with what a reply may not have")
  func idOfARefusedLine() {
    #expect(failure(#"{"id":"a","op":"version","op":"status"}"#)?.id == .text("a"))
    #expect(failure(#"{"id":"a\u0000b","op":"version"}"#)?.id == nil)
    #expect(failure(#"{"id":"a","account":"b\u0000"}"#)?.id == .text("a"))
  }

  @Test func anUnknownOperationIsItsOwnError() {
    let error = failure(#"{"op":"frobnicate","id":3}"#)
    #expect(error?.error.code == .unknownOperation)
    #expect(error?.id == .number(3))
  }

  @Test func aLongNameIsNotRepeatedInFull() throws {
    let name = String(repeating: "x", count: 60_000)
    for line in [
      #"{"op":"\#(name)"}"#, #"{"op":"version","\#(name)":1}"#, #"{"op":"token","\#(name)":1,"\#(name)":1}"#,
    ] {
      let error = try #require(failure(line)).error
      #expect(error.message.utf8.count < 200)
      #expect(error.message.contains(String(name.prefix(64))))
    }
  }

  @Test func invalidUTF8IsRefused() {
    for bytes in [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]] as [[UInt8]] {
      let line = Array(#"{"op":"token","account":""#.utf8) + bytes + Array(#""}"#.utf8)
      #expect(throws: RequestError.self) { try read(line) }
    }
  }

  @Test func nestingIsBounded() {
    func nested(_ levels: Int) -> String {
      #"{"op":"token","account":"a","resource":"# + String(repeating: "[", count: levels)
        + String(repeating: "]", count: levels) + "}"
    }
    #expect(failure(nested(31))?.error.message == "resource: expected a string" || failure(nested(31)) != nil)
    #expect(failure(nested(32))?.error.message.contains("nested deeper than 32 levels") == true)
    #expect(failure(nested(30_000))?.error.message.contains("nested deeper than 32 levels") == true)
  }

  @Test func membersAreBounded() {
    func object(_ count: Int) -> String {
      "{" + (0..<count).map { #""m\#($0)":1"# }.joined(separator: ",") + "}"
    }
    #expect(failure(object(32))?.error.message == "op: missing")
    #expect(failure(object(33))?.error.message.contains("more than 32 members") == true)
  }

  @Test func aScopeIsBounded() throws {
    func line(_ count: Int) -> String {
      #"{"op":"token","account":"a","scope":"\#(String(repeating: "s", count: count))"}"#
    }
    _ = try read(line(4096))
    #expect(failure(line(4097))?.error.message == "scope: expected at most 4096 bytes")
  }

  @Test func aCharacterAsLongAsALineIsNotRepeatedInFull() {
    let name = "e" + String(repeating: "\u{301}", count: 30_000)
    #expect(failure(#"{"op":"\#(name)"}"#).map { $0.error.message.utf8.count < 200 } == true)
  }

  @Test func theIDOfARefusedObjectIsEchoed() {
    #expect(failure(#"{"id":7,"op":"token","x":1}"#)?.id == .number(7))
    #expect(failure(#"{"id":7,"op":"token","op":"token"}"#)?.id == .number(7))
    #expect(failure(#"{"id":"a\u0062","op":"token","min_valid":1e999}"#)?.id == .text("ab"))
    #expect(failure(#"{"op":"token","id":7,"account":tru}"#)?.id == .number(7))
    #expect(failure("nonsense")?.id == nil)
  }

  @Test func aSecretIsLiftedOutOfTheLine() throws {
    var line = Array(#"{"op":"login","account":"a","username":"u","password":"p@ss\"\u00e9\ud83d\ude00"}"#.utf8)
    let request = try RequestReader().read(&line)
    guard case .login(let login) = request.call else { return #expect(Bool(false)) }
    #expect(login.password == Secret("p@ss\"é😀"))
    #expect(!String(decoding: line, as: UTF8.self).contains("p@ss"))
  }

  @Test(arguments: [
    "7", "-7", "\"seven\"", "\"\"", "007", "+7", "7.0", "tru", "\"a\u{1}\"", "\"\\u0061\"", "\"\\x\"", "[]", "",
  ])
  func aLineThatCameBeforeIsReadAsBefore(_ id: String) {
    // What the reader remembers of the first line must neither hide nor bring an error in the second.
    let fresh = RequestReader()
    let used = RequestReader()
    func outcome(_ reader: RequestReader, _ text: String) -> String {
      var line = Array(text.utf8)
      do throws(RequestError) {
        let request = try reader.read(&line)
        return "\(request)"
      } catch { return "\(error)" }
    }
    let others = [#"{"op":"token","id":1,"account":"a"}"#, #"{"op":"token","id":"x","account":"a"}"#]
    for other in others { _ = outcome(used, other) }
    let line = #"{"op":"token","id":\#(id),"account":"a"}"#
    #expect(outcome(used, line) == outcome(fresh, line))
    #expect(outcome(used, line) == outcome(fresh, line))
  }

  @Test func whiteSpaceAroundARequestIsAllowed() throws {
    _ = try read(" \t{ \"op\" : \"version\" } ")
  }

  @Test func resourceIsAStringOrAnArray() throws {
    for (text, uris) in [("\"a:b\"", ["a:b"]), ("[\"a:b\",\"c:d\"]", ["a:b", "c:d"])] {
      guard case .token(let token) = try read("{\"op\":\"token\",\"account\":\"a\",\"resource\":\(text)}").call else {
        return #expect(Bool(false))
      }
      #expect(token.resource?.uris == uris)
    }
  }

  /// RFC 8707, section 2. The query is one that it would rather not see, and allows.
  @Test(arguments: [
    "https://mail.example", "https://mail.example/", "https://mail.example:8443/a/b?tenant=1",
    "HTTPS://Mail.Example/A/../b",
    "https://[2001:db8::1]/", "urn:example:api", "api:1f2e3d", "api://1f2e3d", "https://h/%7Ea",
  ])
  func aResourceIsAnAbsoluteURIAndKeptAsWritten(_ uri: String) throws {
    for value in ["\"\(uri)\"", "[\"a:b\",\"\(uri)\"]"] {
      let call = try read(#"{"op":"token","account":"a","resource":\#(value)}"#).call
      guard case .token(let token) = call else { return #expect(Bool(false)) }
      #expect(token.resource?.uris.last == uri)
    }
  }

  @Test(arguments: [
    "", "mail", "mail.example", "/mail", "//mail.example/", "?a=b", "#a", "https:", "https://", "://mail.example", ":a",
    "1a:b",
    "https://mail.example#", "https://mail.example/#part", "urn:a#b", "https://mail.example/a b",
    " https://mail.example",
    "https://mail.example/%zz", "https://mail.example/ü",
  ])
  func anotherResourceIsRefused(_ uri: String) throws {
    for value in ["\"\(uri)\"", "[\"a:b\",\"\(uri)\"]"] {
      let refused = try #require(failure(#"{"op":"token","id":1,"account":"a","resource":\#(value)}"#))
      #expect(refused.id == .number(1))
      #expect(refused.error.code == .badRequest)
      #expect(refused.error.message == "resource: expected an absolute URI without a fragment")
    }
  }

  @Test func atMostEightResourcesAreTaken() throws {
    func line(_ count: Int) -> String {
      let uris = (0..<count).map { "\"a:\($0)\"" }.joined(separator: ",")
      return #"{"op":"token","account":"a","resource":[\#(uris)]}"#
    }
    _ = try read(line(8))
    #expect(failure(line(9))?.error.message == "resource: expected at most 8 URIs")
  }

  @Test func whatAClientSendsIsWhatTheDaemonReads() throws {
    let login = LoginOperation(
      account: "work", method: .password, username: "a\nb", password: Secret("p\\\"w"), remember: false)
    var line = login.line(id: .number(9))
    #expect(line.removeLast() == UInt8(ascii: "\n"))
    let request = try RequestReader().read(&line)
    #expect(request.id == .number(9))
    guard case .login(let read) = request.call else { return #expect(Bool(false)) }
    #expect(read.username == "a\nb")
    #expect(read.password == Secret("p\\\"w"))
    #expect(read.remember == false)
  }
}
