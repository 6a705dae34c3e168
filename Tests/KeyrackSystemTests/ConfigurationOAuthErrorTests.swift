import KeyrackCore
import KeyrackSystem
import Testing

@Suite(.timeLimit(.minutes(1))) struct ConfigurationOAuthErrorTests {
  private static let redirect = "write http://127.0.0.1:{port}/, as it is registered at the provider"
  private static let ports = "separate ports by \";\", as in redirect_ports=8400;8401"

  /// What follows a client and a token endpoint on lines 1 to 3.
  static let refusals = [
    Refusal(
      "discovery=oidc", "4: [provider p] discovery: there is no issuer to ask",
      "write issuer=https://..., or discovery=none"),
    Refusal(
      "discovery=auto", "4: [provider p] discovery: \"auto\" is not one of oidc, rfc8414, none",
      "write discovery=oidc or discovery=rfc8414 or discovery=none"),
    Refusal(
      "token_endpoint_auth_method=tls_client_auth",
      "4: [provider p] token_endpoint_auth_method: \"tls_client_auth\" is not one of none, client_secret_basic, "
        + "client_secret_post, private_key_jwt, apple",
      "write token_endpoint_auth_method=none or token_endpoint_auth_method=client_secret_basic or "
        + "token_endpoint_auth_method=client_secret_post or token_endpoint_auth_method=private_key_jwt or "
        + "token_endpoint_auth_method=apple"),
    Refusal(
      "client_secret_command=x\ntoken_endpoint_auth_method=none",
      "4: [provider p] client_secret_command: token_endpoint_auth_method=none has no use for a secret",
      "remove one of the two lines"),
    Refusal(
      "client_secret_command=", "4: [provider p] client_secret_command: empty", "give it a value, or remove the line"),
    Refusal(
      "token_endpoint_auth_method=apple\nclient_key_id=k", "1: [provider p] client_team_id: missing",
      "client_team_id=..., ten characters, from Apple's account page"),
    Refusal(
      "token_endpoint_auth_method=apple\nclient_team_id=t", "1: [provider p] client_key_id: missing",
      "client_key_id=..., ten characters, from the name of the .p8 file"),
    Refusal(
      "client_key_id=k",
      "4: [provider p] client_key_id: belongs to token_endpoint_auth_method=private_key_jwt and "
        + "token_endpoint_auth_method=apple", "remove the line, or name that method"),
    Refusal(
      "client_team_id=k", "4: [provider p] client_team_id: belongs to token_endpoint_auth_method=apple",
      "remove the line, or name that method"),
    Refusal(
      "client_secret=hunter2", "4: [provider p] client_secret: a secret",
      "secrets never go into the configuration file: remove the line, and run: keyrack provider secret p"),
    Refusal(
      "redirect_uri=urn:ietf:wg:oauth:2.0:oob", "4: [provider p] redirect_uri: neither an http nor an https URL",
      redirect),
    Refusal(
      "redirect_uri=http://localhost.example.org:{port}/",
      "4: [provider p] redirect_uri: plain http to another host than 127.0.0.1, [::1] or localhost", redirect),
    Refusal(
      "redirect_uri=http://127.1:{port}/",
      "4: [provider p] redirect_uri: plain http to another host than 127.0.0.1, [::1] or localhost", redirect),
    Refusal(
      "redirect_uri=http://127.0.0.1/",
      "4: [provider p] redirect_uri: a port, or {port} once in its place, has to follow the host",
      redirect),
    Refusal(
      "redirect_uri=http://127.0.0.1:{port}/{port}",
      "4: [provider p] redirect_uri: a port, or {port} once in its place, has to follow the host", redirect),
    Refusal(
      "redirect_uri=http://localhost:65536/",
      "4: [provider p] redirect_uri: a port, or {port} once in its place, has to follow the host", redirect),
    Refusal(
      "redirect_uri=http://127.0.0.1:{port}/?a=b",
      "4: [provider p] redirect_uri: a query or a fragment has no place here",
      redirect),
    Refusal(
      "redirect_uri=https://h/#f", "4: [provider p] redirect_uri: a fragment in the URL",
      "remove the # and what follows"),
    Refusal(
      "redirect_uri=https://h:{port}/",
      "4: [provider p] redirect_uri: {port} in an https URL, which this program cannot serve",
      redirect),
    Refusal(
      "redirect_uri=https://h/a b", "4: [provider p] redirect_uri: holds a character that no URL has",
      "copy it from where it is registered"),
    Refusal(
      "redirect_ports=1023", "4: [provider p] redirect_ports: \"1023\" is not a whole number from 1024 to 65535", ports),
    Refusal("redirect_ports=8400;8400", "4: [provider p] redirect_ports: 8400 is there twice", "remove one of the two"),
    Refusal(
      "redirect_ports=8400\nredirect_uri=http://127.0.0.1:8401/",
      "4: [provider p] redirect_ports: redirect_uri has no {port} that they could stand for",
      "remove one of the two lines"),
    Refusal(
      "par=always", "4: [provider p] par: \"always\" is not one of never, offered, required",
      "write par=never or par=offered or par=required"),
    Refusal(
      "login_hint_param=a b", "4: [provider p] login_hint_param: \"a b\" is not the name of a parameter",
      "a name has the characters A-Z a-z 0-9 . _ -"),
    Refusal(
      "login_hint_param=login\nauthorization_params=login=a",
      "5: [provider p] authorization_params: \"login\" is a parameter that Keyrack sends itself", "remove it"),
    Refusal(
      "authorization_params=prompt", "4: [provider p] authorization_params: \"prompt\" is not name=value",
      "separate items by \";\", as in authorization_params=access_type=offline"),
    Refusal(
      "device_flow=maybe", "4: [provider p] device_flow: \"maybe\" is neither true nor false", "write true or false"),
    Refusal(
      "revoke_on_relogin=maybe", "4: [provider p] revoke_on_relogin: \"maybe\" is neither true nor false",
      "write true or false"),
  ]

  @Test(arguments: refusals) func aWrongKeyIsNamed(refusal: Refusal) async throws {
    try await expect(refusal, "[provider p]\nclient_id=c\ntoken_endpoint=https://h/t\n" + refusal.text)
  }

  @Test(arguments: [
    Refusal(
      "client_id=c\nissuer=https://h\ndiscovery=none", "1: [provider p] token_endpoint: missing, and discovery=none",
      "token_endpoint=https://..., as the provider documents it"),
    Refusal(
      "client_id=c\nauthorization_endpoint=https://h/a", "1: [provider p] token_endpoint: missing, and so is issuer",
      "write issuer=https://..., which is asked for its endpoints, or give these one by one: "
        + "authorization_endpoint=https://... and token_endpoint=https://..."),
  ])
  func aProviderThatNobodyCouldAskIsRefused(refusal: Refusal) async throws {
    try await expect(refusal, "[provider p]\n" + refusal.text)
  }

  @Test(arguments: [
    Refusal(
      "browser=x", "2: [keyrack] browser: unknown key",
      "[keyrack] has browser_command, ca_file, store, on_event, notify, notify_interval"),
    Refusal(
      "store=disk", "2: [keyrack] store: \"disk\" is not one of keyring, memory", "write store=keyring or store=memory"),
    Refusal("browser_command=", "2: [keyrack] browser_command: empty", "give it a value, or remove the line"),
    Refusal(
      "browser_command=a\\nb", "2: [keyrack] browser_command: not one line",
      "write one command, as in browser_command=firefox"),
    Refusal("ca_file=ca.pem", "2: [keyrack] ca_file: not an absolute path", "begin it with / or ~/"),
    Refusal(
      "ca_file=~/ca.pem", "2: [keyrack] ca_file: ~/ca.pem: no such file or directory", "name a PEM file that is there"),
  ])
  func aWrongKeyOfTheProgramIsNamed(refusal: Refusal) async throws {
    try await expect(refusal, "[keyrack]\n" + refusal.text)
  }

  @Test(arguments: [
    "response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge", "code_challenge_method",
    "request_uri", "request", "login_hint",
  ])
  func noParameterReplacesOneOfAnAuthorizationRequest(name: String) async throws {
    try await expect(
      Refusal(
        "", "4: [provider p] authorization_params: \"\(name)\" is a parameter that Keyrack sends itself", "remove it"),
      "[provider p]\nclient_id=c\ntoken_endpoint=https://h/t\nauthorization_params=a=b;\(name)=x")
  }

  private func expect(_ refusal: Refusal, _ text: String) async throws {
    let directory = try ConfigurationDirectory()
    try directory.write(text)
    let expected = ConfigurationError("~/.config/keyrack/keyrack.conf:\(refusal.message)", hint: refusal.hint)
    #expect(try await directory.failure() == expected)
  }
}
