import KeyrackProtocol

/// Programs whose accounts can be taken over.
enum ImportFormat: String, CaseIterable {
  case oidcAgent = "oidc-agent"
  case pizauth
  case muttOAuth2 = "mutt_oauth2"
  case oama

  /// The command that prints what is read here.
  var example: String {
    switch self {
    case .oidcAgent: "oidc-gen --print NAME | keyrack import oidc-agent -"
    case .pizauth: "keyrack import pizauth ~/.config/pizauth.conf"
    case .muttOAuth2: "gpg --decrypt TOKENFILE | keyrack import mutt_oauth2 -"
    case .oama: "oama show EMAIL | keyrack import oama -"
    }
  }

  /// `account` chooses, where there are several.
  func account(in text: [UInt8], named account: String?) throws -> ImportedAccount {
    switch self {
    case .oidcAgent: try OIDCAgentAccount.read(text)
    case .pizauth: try PizauthAccount.read(text, named: account)
    case .muttOAuth2: try MuttToken.read(text)
    case .oama: try OamaRecord.read(text)
    }
  }
}
