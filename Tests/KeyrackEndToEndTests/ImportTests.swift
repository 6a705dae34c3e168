import TestSupport
import Testing

/// `keyrack import`: what other programs print, as they print it.
@Suite(.timeLimit(.minutes(1)))
struct ImportTests {
  private static let oidcAgent = """
    {
    \t"name":\t"work",
    \t"client_name":\t"oidc-agent:work-host",
    \t"issuer_url":\t"https://a.test/",
    \t"device_authorization_endpoint":\t"https://a.test/device",
    \t"daeSetByUser":\t1,
    \t"client_id":\t"agent",
    \t"client_secret":\t"s3",
    \t"refresh_token":\t"rt-\\/1",
    \t"cert_path":\t"/etc/ssl/certs/ca-certificates.crt",
    \t"scope":\t"openid offline_access",
    \t"redirect_uris":\t["edu.kit.data.oidc-agent:/redirect", "http://localhost:4242", "http://localhost:8080"],
    \t"username":\t"",
    \t"password":\t""
    }
    """
  private static let mutt =
    #"{"registration": "google", "authflow": "localhostauthcode", "email": "jo@x.test", "access_token": "at", "#
    + #""access_token_expiration": "2026-01-01T00:00:00", "refresh_token": "rt-1", "client_id": "m", "client_secret": ""}"#
  private static let oama =
    #"{"access_token":"at","email":"jo@x.test","exp_date":"2026-01-01 10:00 UTC","expires_in":3599,"#
    + #""refresh_token":"rt-1","scope":"https://mail.google.com/","service":"google","token_type":"Bearer"}"#
  private static let pizauth = """
    // startup_cmd="x";
    auth_notify_cmd = "notify \\"$PIZAUTH_URL\\"; true";
    auth_notify_interval = 15m;
    account "a" { // } "
      auth_uri = "https://b.test/auth";
      token_uri = "https://b.test/token";
      client_id = "p";
      client_secret = "s\\\\3";
      scopes = [ "mail", "offline_access" ];
      redirect_uri = "http://127.0.0.1/back";
      auth_uri_fields = { "login_hint": "jo@x.test" };
      refresh_at_least = 90m;
    }
    account "b" { auth_uri = "https://c.test/a"; token_uri = "https://oauth2.test/token"; client_id = "q"; }

    """
  private let home = try? ConfigurationHome()

  @Test func fromOIDCAgent() async throws {
    let home = try #require(home)
    let outcome = try await home.run(
      ["import", "oidc-agent", "-"], input: Self.oidcAgent,
      [
        Lines.noAccounts, Lines.providers, Lines.refusal("provider_error"), Lines.discovery(registers: true),
        Lines.secret, Lines.reload, Lines.login,
      ])
    #expect(outcome.run.status == 0, "\(outcome.run.errors)")
    #expect(
      outcome.requests.dropFirst(2) == [
        #"{"op":"discover","issuer":"https://a.test/"}"#, #"{"op":"discover","issuer":"https://a.test"}"#,
        #"{"op":"secret","provider":"work","secret":"s3"}"#, #"{"op":"reload"}"#,
        #"{"op":"login","account":"work","method":"refresh_token","refresh_token":"rt-/1"}"#,
      ])
    #expect(
      home.text == """
        [provider work]
        issuer=https://a.test
        discovery=oidc
        client_id=agent
        token_endpoint_auth_method=client_secret_post
        redirect_uri=http://localhost:{port}
        redirect_ports=4242;8080
        device_authorization_endpoint=https://a.test/device

        [account work]
        provider=work
        scopes=openid;offline_access

        """)
    #expect(!outcome.run.errors.contains("rt-") && !outcome.run.errors.contains("s3"))
  }

  @Test func fromMutt() async throws {
    let home = try #require(home)
    let outcome = try await home.converse(
      ["import", "mutt_oauth2", try input(Self.mutt)],
      [Lines.noAccounts, Lines.providers, Lines.secret, Lines.reload, Lines.login]
    ) { terminal, _ in
      _ = terminal.read(until: "client secret (not shown): ")
      terminal.type("s3\n")
    }
    #expect(outcome.run.status == 0, "\(outcome.run.errors)")
    #expect(
      outcome.requests.last
        == #"{"op":"login","account":"jo@x.test","method":"refresh_token","refresh_token":"rt-1"}"#)
    #expect(
      home.text == "[provider jo@x.test]\npreset=google\nclient_id=m\n\n[account jo@x.test]\nprovider=jo@x.test\n")
  }

  @Test func muttsTenantIsKept() async throws {
    let home = try #require(home)
    let token = Self.mutt.replacing(#""google""#, with: #""microsoft", "tenant": "t1""#)
    let outcome = try await home.run(
      ["import", "mutt_oauth2", "-", "--account", "work", "--no-login"], input: token,
      [Lines.noAccounts, Lines.providers, Lines.reload])
    #expect(outcome.run.status == 0, "\(outcome.run.errors)")
    #expect(home.text?.contains("preset=microsoft\nclient_id=m\ntenant=t1\n") == true)
  }

  private static let shownByOama = """
    email: jo@x.test
    service: google
    scope: https://mail.google.com/
    refresh_token: rt-1
    access_token: at
    token_type: Bearer
    exp_date: 2026-01-01 10:00 UTC

    """

  @Test(arguments: [Self.oama, Self.shownByOama])
  func fromOama(text: String) async throws {
    let home = try #require(home)
    let outcome = try await home.converse(
      ["import", "oama", try input(text), "--account", "work"],
      [Lines.noAccounts, Lines.providers, Lines.secret, Lines.reload, Lines.login]
    ) { terminal, _ in
      _ = terminal.read(until: "client_id for google: ")
      terminal.type("abc\n")
      _ = terminal.read(until: "client secret (not shown): ")
      terminal.type("s3\n")
    }
    #expect(outcome.run.status == 0, "\(outcome.run.errors)")
    #expect(
      outcome.requests.last == #"{"op":"login","account":"work","method":"refresh_token","refresh_token":"rt-1"}"#)
    #expect(home.text?.hasSuffix("[account work]\nprovider=work\nscopes=https://mail.google.com/\n") == true)
  }

  @Test func fromPizauthWithoutItsTokens() async throws {
    let home = try #require(home)
    let outcome = try await home.run(
      ["import", "pizauth", "-", "--account", "a"], input: Self.pizauth,
      [Lines.providers, Lines.noAccounts, Lines.providers, Lines.secret, Lines.reload, Lines.login])
    #expect(outcome.run.status == 0, "\(outcome.run.errors)")
    #expect(
      home.text == """
        [provider a]
        authorization_endpoint=https://b.test/auth
        token_endpoint=https://b.test/token
        client_id=p
        token_endpoint_auth_method=client_secret_basic
        redirect_uri=http://127.0.0.1:{port}/back

        [account a]
        provider=a
        scopes=mail;offline_access

        """)
    #expect(outcome.requests.contains(#"{"op":"secret","provider":"a","secret":"s\\3"}"#))
    #expect(outcome.requests.last == #"{"op":"login","account":"a"}"#)
    #expect(outcome.run.errors.contains("pizauth gave no refresh token: you have to sign in anew\n"))
  }

  @Test func aPresetIsFoundByItsEndpointAndTenant() async throws {
    let home = try #require(home)
    let text =
      #"account "b" { auth_uri = "x"; token_uri = "https://login.microsoftonline.com/t1/oauth2/v2.0/token"; "#
      + #"client_id = "q"; }"#
    let outcome = try await home.run(
      ["import", "pizauth", "-", "--no-login"], input: text,
      [Lines.providers, Lines.noAccounts, Lines.providers, Lines.reload])
    #expect(outcome.run.status == 0, "\(outcome.run.errors)")
    #expect(
      home.text == """
        [provider b]
        preset=microsoft
        client_id=q
        tenant=t1
        redirect_uri=http://localhost:{port}/

        [account b]
        provider=b

        """)
  }

  @Test func severalAccountsHaveToBeChosenFrom() async throws {
    let outcome = try await #require(home).run(["import", "pizauth", "-"], input: Self.pizauth, [])
    #expect(outcome.run.status == 1)
    #expect(
      outcome.run.errors == """
        keyrack: it has several accounts, which of a, b?
        keyrack: hint: keyrack import pizauth FILE --account a

        """)
  }

  @Test(arguments: ["\u{3}", "\u{4}"])
  func nothingIsDoneBeforeTheLastAnswer(key: String) async throws {
    let home = try #require(home)
    let outcome = try await home.converse(
      ["import", "mutt_oauth2", try input(Self.mutt)], [Lines.noAccounts, Lines.providers]
    ) { terminal, _ in
      _ = terminal.read(until: "client secret (not shown): ")
      terminal.type(key)
    }
    #expect(outcome.run.status == (key == "\u{3}" ? 130 : 1))
    #expect(outcome.operations == ["status", "providers"])
    #expect(home.text == nil)
  }

  @Test(arguments: [
    ("mutt_oauth2", "-----BEGIN PGP MESSAGE-----\n\nhQ\n", "gpg --decrypt FILE | keyrack import mutt_oauth2 -"),
    ("oidc-agent", "336\nn\ns\n24:16\nc\nGenerated using version: 4.2.6\n", "oidc-gen --print NAME | keyrack"),
    ("oama", "age-encryption.org/v1\n-> X\n", "age --decrypt FILE | keyrack import oama -"),
    ("mutt_oauth2", "\u{0}", "keyrack import --help"), ("oama", "[]", "keyrack import --help"),
    ("oama", #"{"refresh_token":1}"#, "keyrack import --help"), ("oama", "{}", "oama show EMAIL"),
    ("oidc-agent", "{}", "keyrack import --help"),
    ("pizauth", "account a {", "keyrack import pizauth ~/.config/pizauth.conf"),
  ])
  func whatCannotBeReadSaysWhatToType(format: String, input: String, hint: String) async throws {
    let outcome = try await #require(home).run(["import", format, "-"], input: input, [])
    #expect(outcome.run.status == 1)
    #expect(outcome.run.errors.contains("\nkeyrack: hint: \(hint)"), "\(outcome.run.errors)")
    #expect(outcome.requests.isEmpty)
  }

  private func input(_ text: String) throws -> String {
    let path = try #require(home).path + "/input"
    try ConfigurationHome.write(text, to: path)
    return path
  }
}
