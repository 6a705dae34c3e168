import FoundationEssentials

/// The name and the address of who signed in, where a provider tells.
public struct Person: Decodable, JSONObject, Sendable, Hashable {
  public let name: String?
  public let email: String?

  public init(name: String?, email: String?) {
    self.name = name
    self.email = email
  }

  /// What Sign in with Apple posts as `user`, at the first authorization and never again:
  /// `{"name":{"firstName":…,"lastName":…},"email":…}`. Nil where it says neither.
  package init?(postedByApple text: [UInt8]) {
    guard text.count <= Self.longest, (try? JSONScan(text)) != nil,
      let user = try? JSONDecoder().decode(AppleUser.self, from: Data(text))
    else { return nil }
    let names = [user.name?.firstName, user.name?.lastName].compactMap { $0.flatMap { $0.isEmpty ? nil : $0 } }
    name = names.isEmpty ? nil : names.joined(separator: " ")
    email = user.email
    if name == nil && email == nil { return nil }
  }

  /// As ``write(to:)`` has written it.
  package init?(stored text: [UInt8]) {
    guard let person = try? JSONDecoder().decode(Person.self, from: Data(text)) else { return nil }
    self = person
  }

  /// Bytes.
  private static let longest = 4096

  public func write(to object: inout JSONObjectWriter) {
    object.member("name", name)
    object.member("email", email)
  }
}

private struct AppleUser: Decodable {
  struct Name: Decodable {
    let firstName: String?
    let lastName: String?
  }

  let name: Name?
  let email: String?
}
