import KeyrackProtocol

/// Where a person gets what a provider gives to each program, or to each of its customers.
enum ClientSource {
  /// For people: what a key of a provider's group is, in a line.
  static func explanation(of key: String, at provider: ProviderDescription) -> String {
    let place = place(of: provider).map { ": \($0)" } ?? ""
    return switch key {
    case "client_id": "client_id, the id of an app that you register there as a desktop or native one\(place)"
    case "client_team_id": "client_team_id, the ten characters of your team\(place)"
    case "client_key_id": "client_key_id, the ten characters in the name of the key's file\(place)"
    case "redirect_uri": "redirect_uri, a page of yours that is registered there\(place)"
    case "host": "host, the name of your server"
    case "issuer": "issuer, the address of your server as it calls itself, https://..."
    default: "\(key), as the provider documents it\(place)"
    }
  }

  private static func place(of provider: ProviderDescription) -> String? {
    let preset = provider.origin == .preset ? provider.name : provider["preset"] ?? provider.name
    return places[preset]
  }

  private static let places = [
    "google": "https://console.cloud.google.com/auth/clients",
    "microsoft": "https://entra.microsoft.com, App registrations",
    "microsoft-personal": "https://entra.microsoft.com, App registrations",
    "github": "https://github.com/settings/apps",
    "gitlab": "https://gitlab.com/-/user_settings/applications",
    "bitbucket": "https://bitbucket.org, the workspace's settings, OAuth consumers",
    "codeberg": "https://codeberg.org/user/settings/applications",
    "gitea": "https://HOST/user/settings/applications",
    "forgejo": "https://HOST/user/settings/applications",
    "yahoo": "https://developer.yahoo.com/apps/",
    "fastmail": "https://www.fastmail.com/for-developers/oauth/",
    "apple": "https://developer.apple.com/account/resources/",
    "yandex": "https://oauth.yandex.com/",
  ]
}
