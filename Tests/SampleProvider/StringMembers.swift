/// The members of a JSON object that are strings; the others are passed over.
struct StringMembers: Decodable {
  let members: [String: String]

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Name.self)
    var members: [String: String] = [:]
    for name in container.allKeys {
      members[name.stringValue] = try? container.decode(String.self, forKey: name)
    }
    self.members = members
  }
}
