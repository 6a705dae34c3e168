/// What help can be about besides commands. The man page that it names tells the rest.
enum HelpPage: String, CaseIterable {
  case configuration, protocolOfTheSocket = "protocol"

  var summary: String {
    switch self {
    case .configuration: "accounts and providers in keyrack.conf"
    case .protocolOfTheSocket: "how programs ask the daemon"
    }
  }

  var text: String {
    switch self {
    case .configuration:
      """
      Accounts and providers are groups in $XDG_CONFIG_HOME/keyrack/keyrack.conf (default ~/.config), and in
      keyrack.conf.d/*.conf beside it:

        [account personal]
        provider=google
        client_id=ID.apps.googleusercontent.com

        [provider corp]
        issuer=https://sso.example.org
        client_id=keyrack

        [account work]
        provider=corp
        scopes=openid;offline_access;mail

      keyrack account add writes such groups. keyrack provider list tells which providers Keyrack knows, keyrack provider
      show NAME prints one in this form. Secrets never go into the file: keyrack provider secret NAME. After a change:
      keyrack reload.

      All keys: man 5 keyrack.conf

      """
    case .protocolOfTheSocket:
      """
      A line of JSON on the socket is a request, and a line of JSON is its reply:

        printf '{"op":"token","account":"work"}\\n' |
          socat -t35 - UNIX-CONNECT:$XDG_RUNTIME_DIR/keyrack/keyrack.sock

      The reply has "ok":true and what was asked for, or "ok":false and an "error", whose "code" is for programs and does
      not change. With --json, keyrack prints that line.

      All operations and codes: man 7 keyrack-protocol

      """
    }
  }
}
