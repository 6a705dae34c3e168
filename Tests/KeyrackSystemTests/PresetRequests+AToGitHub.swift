extension PresetRequests {
  static let fromAppleToGitHub: [PresetRequests] = [
    PresetRequests(
      name: "apple",
      keys: "client_team_id=TEAM\nclient_key_id=KEY\nredirect_uri=https://app.example.org/signed-in",
      authorization: """
        https://appleid.apple.com/auth/authorize?response_type=code&client_id=CLIENT\
        &redirect_uri=https%3a%2f%2fapp.example.org%2fsigned-in&scope=openid&state=STATE&nonce=NONCE\
        &code_challenge=CHALLENGE&code_challenge_method=S256
        """,
      exchange: """
        POST https://appleid.apple.com/auth/token
        grant_type=authorization_code&code=CODE&redirect_uri=https%3A%2F%2Fapp.example.org%2Fsigned-in\
        &client_id=CLIENT&client_secret=TEAM%2CKEY%2CSECRET%2CCLIENT%2Chttps%3A%2F%2Fappleid.apple.com\
        &code_verifier=VERIFIER
        """,
      refresh: """
        POST https://appleid.apple.com/auth/token
        grant_type=refresh_token&refresh_token=REFRESH&client_id=CLIENT\
        &client_secret=TEAM%2CKEY%2CSECRET%2CCLIENT%2Chttps%3A%2F%2Fappleid.apple.com
        """,
      revocation: """
        POST https://appleid.apple.com/auth/revoke
        token=REFRESH&token_type_hint=refresh_token&client_id=CLIENT\
        &client_secret=TEAM%2CKEY%2CSECRET%2CCLIENT%2Chttps%3A%2F%2Fappleid.apple.com
        """),
    PresetRequests(
      name: "bitbucket",
      authorization: """
        https://bitbucket.org/site/oauth2/authorize?response_type=code&client_id=CLIENT\
        &redirect_uri=http%3a%2f%2flocalhost%3a34106%2f&state=STATE&code_challenge=CHALLENGE\
        &code_challenge_method=S256
        """,
      exchange: """
        POST https://bitbucket.org/site/oauth2/access_token
        Authorization: Basic Q0xJRU5UOlNFQ1JFVA==
        grant_type=authorization_code&code=CODE&redirect_uri=http%3A%2F%2Flocalhost%3A34106%2F\
        &code_verifier=VERIFIER
        """,
      refresh: """
        POST https://bitbucket.org/site/oauth2/access_token
        Authorization: Basic Q0xJRU5UOlNFQ1JFVA==
        grant_type=refresh_token&refresh_token=REFRESH
        """),
    PresetRequests(
      name: "codeberg",
      authorization: """
        https://codeberg.org/login/oauth/authorize?response_type=code&client_id=CLIENT\
        &redirect_uri=http%3a%2f%2f127.0.0.1%3a8400%2fcallback%2fcodeberg%3ax&state=STATE\
        &code_challenge=CHALLENGE&code_challenge_method=S256
        """,
      exchange: """
        POST https://codeberg.org/login/oauth/access_token
        grant_type=authorization_code&code=CODE\
        &redirect_uri=http%3A%2F%2F127.0.0.1%3A8400%2Fcallback%2Fcodeberg%3Ax&client_id=CLIENT\
        &code_verifier=VERIFIER
        """,
      refresh: """
        POST https://codeberg.org/login/oauth/access_token
        grant_type=refresh_token&refresh_token=REFRESH&client_id=CLIENT
        """),
    PresetRequests(
      name: "fastmail",
      authorization: """
        https://api.fastmail.com/oauth/authorize?response_type=code&client_id=CLIENT\
        &redirect_uri=http%3a%2f%2f127.0.0.1%3a8400%2fcallback%2ffastmail%3ax\
        &scope=https%3a%2f%2fwww.fastmail.com%2fdev%2fprotocol-imap%20https%3a%2f%2fwww.fastmail.com%2fdev%2fprotocol-smtp\
        &state=STATE&code_challenge=CHALLENGE&code_challenge_method=S256
        """,
      exchange: """
        POST https://api.fastmail.com/oauth/refresh
        grant_type=authorization_code&code=CODE\
        &redirect_uri=http%3A%2F%2F127.0.0.1%3A8400%2Fcallback%2Ffastmail%3Ax&client_id=CLIENT\
        &code_verifier=VERIFIER
        """,
      refresh: """
        POST https://api.fastmail.com/oauth/refresh
        grant_type=refresh_token&refresh_token=REFRESH&client_id=CLIENT
        """),
    PresetRequests(
      name: "forgejo",
      keys: "host=git.example.org",
      authorization: """
        https://git.example.org/login/oauth/authorize?response_type=code&client_id=CLIENT\
        &redirect_uri=http%3a%2f%2f127.0.0.1%3a8400%2fcallback%2fforgejo%3ax&state=STATE\
        &code_challenge=CHALLENGE&code_challenge_method=S256
        """,
      exchange: """
        POST https://git.example.org/login/oauth/access_token
        grant_type=authorization_code&code=CODE\
        &redirect_uri=http%3A%2F%2F127.0.0.1%3A8400%2Fcallback%2Fforgejo%3Ax&client_id=CLIENT\
        &code_verifier=VERIFIER
        """,
      refresh: """
        POST https://git.example.org/login/oauth/access_token
        grant_type=refresh_token&refresh_token=REFRESH&client_id=CLIENT
        """),
    PresetRequests(
      name: "gitea",
      keys: "host=git.example.org",
      authorization: """
        https://git.example.org/login/oauth/authorize?response_type=code&client_id=CLIENT\
        &redirect_uri=http%3a%2f%2f127.0.0.1%3a8400%2fcallback%2fgitea%3ax&state=STATE&code_challenge=CHALLENGE\
        &code_challenge_method=S256
        """,
      exchange: """
        POST https://git.example.org/login/oauth/access_token
        grant_type=authorization_code&code=CODE\
        &redirect_uri=http%3A%2F%2F127.0.0.1%3A8400%2Fcallback%2Fgitea%3Ax&client_id=CLIENT\
        &code_verifier=VERIFIER
        """,
      refresh: """
        POST https://git.example.org/login/oauth/access_token
        grant_type=refresh_token&refresh_token=REFRESH&client_id=CLIENT
        """),
    PresetRequests(
      name: "github",
      authorization: """
        https://github.com/login/oauth/authorize?response_type=code&client_id=CLIENT\
        &redirect_uri=http%3a%2f%2f127.0.0.1%3a8400%2fcallback%2fgithub%3ax&state=STATE&code_challenge=CHALLENGE\
        &code_challenge_method=S256
        """,
      exchange: """
        POST https://github.com/login/oauth/access_token
        grant_type=authorization_code&code=CODE\
        &redirect_uri=http%3A%2F%2F127.0.0.1%3A8400%2Fcallback%2Fgithub%3Ax&client_id=CLIENT\
        &client_secret=SECRET&code_verifier=VERIFIER
        """,
      refresh: """
        POST https://github.com/login/oauth/access_token
        grant_type=refresh_token&refresh_token=REFRESH&client_id=CLIENT&client_secret=SECRET
        """,
      device: """
        POST https://github.com/login/device/code
        client_id=CLIENT&client_secret=SECRET
        """,
      revocation: """
        DELETE https://api.github.com/applications/CLIENT/token
        Authorization: Basic Q0xJRU5UOlNFQ1JFVA==
        {"access_token":"ACCESS"}
        """),
  ]
}
