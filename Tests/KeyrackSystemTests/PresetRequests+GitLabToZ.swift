import KeyrackCore

extension PresetRequests {
  static let fromGitLabToYandex: [PresetRequests] = [
    PresetRequests(
      name: "gitlab",
      authorization: """
        https://gitlab.com/oauth/authorize?response_type=code&client_id=CLIENT\
        &redirect_uri=http%3a%2f%2f127.0.0.1%3a8400%2fcallback%2fgitlab%3ax&scope=openid&state=STATE&nonce=NONCE\
        &code_challenge=CHALLENGE&code_challenge_method=S256
        """,
      exchange: """
        POST https://gitlab.com/oauth/token
        grant_type=authorization_code&code=CODE\
        &redirect_uri=http%3A%2F%2F127.0.0.1%3A8400%2Fcallback%2Fgitlab%3Ax&client_id=CLIENT\
        &code_verifier=VERIFIER
        """,
      refresh: """
        POST https://gitlab.com/oauth/token
        grant_type=refresh_token&refresh_token=REFRESH&client_id=CLIENT
        """,
      device: """
        POST https://gitlab.com/oauth/authorize_device
        client_id=CLIENT&scope=openid
        """,
      revocation: """
        POST https://gitlab.com/oauth/revoke
        token=REFRESH&token_type_hint=refresh_token&client_id=CLIENT
        """),
    PresetRequests(
      name: "google",
      authorization: """
        https://accounts.google.com/o/oauth2/v2/auth?response_type=code&client_id=CLIENT\
        &redirect_uri=http%3a%2f%2f127.0.0.1%3a8400%2fcallback%2fgoogle%3ax&scope=openid%20email&state=STATE\
        &nonce=NONCE&code_challenge=CHALLENGE&code_challenge_method=S256&access_type=offline&prompt=consent
        """,
      exchange: """
        POST https://oauth2.googleapis.com/token
        grant_type=authorization_code&code=CODE\
        &redirect_uri=http%3A%2F%2F127.0.0.1%3A8400%2Fcallback%2Fgoogle%3Ax&client_id=CLIENT\
        &client_secret=SECRET&code_verifier=VERIFIER
        """,
      refresh: """
        POST https://oauth2.googleapis.com/token
        grant_type=refresh_token&refresh_token=REFRESH&client_id=CLIENT&client_secret=SECRET
        """,
      device: """
        POST https://oauth2.googleapis.com/device/code
        client_id=CLIENT&client_secret=SECRET&scope=openid%20email
        """,
      revocation: """
        POST https://oauth2.googleapis.com/revoke
        token=REFRESH&token_type_hint=refresh_token&client_id=CLIENT&client_secret=SECRET
        """),
    PresetRequests(
      name: "microsoft",
      authorization: """
        https://login.microsoftonline.com/organizations/oauth2/v2.0/authorize?response_type=code\
        &client_id=CLIENT&redirect_uri=http%3a%2f%2flocalhost%3a8400&scope=openid%20profile%20offline_access\
        &state=STATE&nonce=NONCE&code_challenge=CHALLENGE&code_challenge_method=S256
        """,
      exchange: """
        POST https://login.microsoftonline.com/organizations/oauth2/v2.0/token
        grant_type=authorization_code&code=CODE&redirect_uri=http%3A%2F%2Flocalhost%3A8400&client_id=CLIENT\
        &code_verifier=VERIFIER
        """,
      refresh: """
        POST https://login.microsoftonline.com/organizations/oauth2/v2.0/token
        grant_type=refresh_token&refresh_token=REFRESH&client_id=CLIENT
        """,
      device: """
        POST https://login.microsoftonline.com/organizations/oauth2/v2.0/devicecode
        client_id=CLIENT&scope=openid%20profile%20offline_access
        """),
    PresetRequests(
      name: "microsoft-personal",
      authorization: """
        https://login.microsoftonline.com/consumers/oauth2/v2.0/authorize?response_type=code&client_id=CLIENT\
        &redirect_uri=http%3a%2f%2flocalhost%3a8400&scope=openid%20profile%20offline_access&state=STATE\
        &nonce=NONCE&code_challenge=CHALLENGE&code_challenge_method=S256
        """,
      exchange: """
        POST https://login.microsoftonline.com/consumers/oauth2/v2.0/token
        grant_type=authorization_code&code=CODE&redirect_uri=http%3A%2F%2Flocalhost%3A8400&client_id=CLIENT\
        &code_verifier=VERIFIER
        """,
      refresh: """
        POST https://login.microsoftonline.com/consumers/oauth2/v2.0/token
        grant_type=refresh_token&refresh_token=REFRESH&client_id=CLIENT
        """,
      device: """
        POST https://login.microsoftonline.com/consumers/oauth2/v2.0/devicecode
        client_id=CLIENT&scope=openid%20profile%20offline_access
        """),
    PresetRequests(
      name: "oauth",
      keys: "authorization_endpoint=https://sso.example.org/authorize\ntoken_endpoint=https://sso.example.org/token",
      authorization: """
        https://sso.example.org/authorize?response_type=code&client_id=CLIENT\
        &redirect_uri=http%3a%2f%2f127.0.0.1%3a8400%2fcallback%2foauth%3ax&state=STATE&code_challenge=CHALLENGE\
        &code_challenge_method=S256
        """,
      exchange: """
        POST https://sso.example.org/token
        grant_type=authorization_code&code=CODE\
        &redirect_uri=http%3A%2F%2F127.0.0.1%3A8400%2Fcallback%2Foauth%3Ax&client_id=CLIENT\
        &code_verifier=VERIFIER
        """,
      refresh: """
        POST https://sso.example.org/token
        grant_type=refresh_token&refresh_token=REFRESH&client_id=CLIENT
        """),
    PresetRequests(
      name: "oidc",
      keys: "issuer=https://sso.example.org",
      found: Endpoints(
        authorization: "https://sso.example.org/authorize", token: "https://sso.example.org/token",
        revocation: "https://sso.example.org/revoke"),
      authorization: """
        https://sso.example.org/authorize?response_type=code&client_id=CLIENT\
        &redirect_uri=http%3a%2f%2f127.0.0.1%3a8400%2fcallback%2foidc%3ax&scope=openid%20offline_access&state=STATE\
        &nonce=NONCE&code_challenge=CHALLENGE&code_challenge_method=S256
        """,
      exchange: """
        POST https://sso.example.org/token
        grant_type=authorization_code&code=CODE&redirect_uri=http%3A%2F%2F127.0.0.1%3A8400%2Fcallback%2Foidc%3Ax\
        &client_id=CLIENT&code_verifier=VERIFIER
        """,
      refresh: """
        POST https://sso.example.org/token
        grant_type=refresh_token&refresh_token=REFRESH&client_id=CLIENT
        """,
      revocation: """
        POST https://sso.example.org/revoke
        token=REFRESH&token_type_hint=refresh_token&client_id=CLIENT
        """),
    PresetRequests(
      name: "yahoo",
      authorization: """
        https://api.login.yahoo.com/oauth2/request_auth?response_type=code&client_id=CLIENT\
        &redirect_uri=https%3a%2f%2f127.0.0.1%2f&scope=openid&state=STATE&nonce=NONCE&code_challenge=CHALLENGE\
        &code_challenge_method=S256
        """,
      exchange: """
        POST https://api.login.yahoo.com/oauth2/get_token
        Authorization: Basic Q0xJRU5UOlNFQ1JFVA==
        grant_type=authorization_code&code=CODE&redirect_uri=https%3A%2F%2F127.0.0.1%2F&code_verifier=VERIFIER
        """,
      refresh: """
        POST https://api.login.yahoo.com/oauth2/get_token
        Authorization: Basic Q0xJRU5UOlNFQ1JFVA==
        grant_type=refresh_token&refresh_token=REFRESH
        """),
    PresetRequests(
      name: "yandex",
      authorization: """
        https://oauth.yandex.com/authorize?response_type=code&client_id=CLIENT\
        &redirect_uri=http%3a%2f%2flocalhost%3a8400%2f&state=STATE&code_challenge=CHALLENGE\
        &code_challenge_method=S256
        """,
      exchange: """
        POST https://oauth.yandex.com/token
        Authorization: Basic Q0xJRU5UOlNFQ1JFVA==
        grant_type=authorization_code&code=CODE&redirect_uri=http%3A%2F%2Flocalhost%3A8400%2F\
        &code_verifier=VERIFIER
        """,
      refresh: """
        POST https://oauth.yandex.com/token
        Authorization: Basic Q0xJRU5UOlNFQ1JFVA==
        grant_type=refresh_token&refresh_token=REFRESH
        """),
  ]
}
