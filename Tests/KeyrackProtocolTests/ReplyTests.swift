import FoundationEssentials
import KeyrackProtocol
import Testing

@Suite struct ReplyTests {
  func text(_ value: some JSONObject) -> String {
    String(decoding: JSONObjectWriter.text(of: value), as: UTF8.self)
  }

  @Test func aTokenReplyHasTheOrderOfTheProtocol() throws {
    let body = TokenOperation.Reply(
      account: "work", token: Secret("eyJ"), tokenType: "Bearer", expiresAt: 1_798_700_000, expiresIn: 3540,
      scope: "openid mail", minimumValidityMet: true)
    let line = Reply(id: .number(1), result: .success(body)).line()
    let expected =
      #"{"id":1,"ok":true,"account":"work","access_token":"eyJ","token_type":"Bearer","expires_at":1798700000,"#
      + #""expires_in":3540,"scope":"openid mail","min_valid_met":true}"# + "\n"
    #expect(String(decoding: line, as: UTF8.self) == expected)
    #expect(try Reply<TokenOperation.Reply>(line: line).result == .success(body))
  }

  @Test func whatIsUnknownIsNull() throws {
    let body = TokenOperation.Reply(
      account: "work", token: Secret("a"), tokenType: "Bearer", expiresAt: nil, expiresIn: nil, scope: nil,
      minimumValidityMet: true)
    #expect(text(body).contains(#""expires_at":null,"expires_in":null,"scope":null"#))
    let owed = OwedRevocation(account: "a", since: 1, nextAttemptAt: nil, lastError: nil)
    #expect(text(owed) == #"{"account":"a","since":1,"next_attempt_at":null,"last_error":null}"#)
    let keyring = KeyringStatus(state: .ok, since: nil, message: nil)
    #expect(text(keyring) == #"{"state":"ok","since":null,"message":null}"#)
    #expect(
      text(PendingLogin(method: .password, expiresAt: nil))
        == #"{"method":"password","url":null,"verification_uri":null,"user_code":null,"expires_at":null}"#)
  }

  @Test func anErrorReplySaysWhatToDo() throws {
    let error = ReplyError(
      .loginRequired, "work: the provider no longer accepts the refresh token", hint: "keyrack login work",
      reason: "revoked")
    let line = Reply<TokenOperation.Reply>(id: .text("x"), result: .failure(error)).line()
    let expected =
      #"{"id":"x","ok":false,"error":{"code":"login_required","message":"work: the provider no longer accepts the "#
      + #"refresh token","hint":"keyrack login work","reason":"revoked","retryable":false}}"# + "\n"
    #expect(String(decoding: line, as: UTF8.self) == expected)
  }

  @Test(arguments: ["plain", "with \"quotes\" and \\", "\u{1}\u{1F}\u{7F}\t\r\n", "é😀\u{2028}", "</script>", ""])
  func anyTextSurvives(_ text: String) throws {
    let reply = ReloadOperation.Reply(added: [text, text], removed: [], changed: [], providers: [text])
    let line = JSONObjectWriter.text(of: reply)
    #expect(!line.contains(UInt8(ascii: "\n")))
    #expect(try JSONDecoder().decode(ReloadOperation.Reply.self, from: Data(line)) == reply)
  }

  @Test func nestedObjectsAndArraysAreWhole() throws {
    let reply = StatusOperation.Reply(
      accounts: [
        AccountStatus(
          account: "a", provider: "p", state: .degraded, since: 1,
          lastError: StatusError(code: .temporarilyUnavailable, message: "m", at: 2),
          pendingLogin: PendingLogin(method: .password, expiresAt: nil)),
        AccountStatus(account: "b", provider: "p", state: .active, since: nil),
      ], keyring: KeyringStatus(state: .ok, since: 1, message: nil), outbox: [], orphans: ["old"])
    let line = Reply(id: nil, result: .success(reply)).line()
    #expect(try Reply<StatusOperation.Reply>(line: line).result == .success(reply))
  }

  @Test func aSecretIsRedactedWhereverItIsPrinted() throws {
    let secret = Secret("hunter2-and-more-than-fifteen-bytes")
    var dumped = ""
    dump(secret, to: &dumped)
    let login = LoginOperation(account: "a", password: secret)
    for text in [
      "\(secret)", String(describing: secret), String(reflecting: secret), dumped, "\(login)",
      String(reflecting: login), String(decoding: try JSONEncoder().encode(["s": secret]), as: UTF8.self),
    ] {
      #expect(!text.contains("hunter2"))
    }
  }
}
