import KeyrackProtocol

/// What a request carries.
struct RequestBody {
  let text: Secret
  let contentType: String

  static func form(_ members: [(String, Secret)]) -> RequestBody {
    RequestBody(text: FormEncoding.body(members), contentType: FormEncoding.contentType)
  }

  /// Values of one name, which a form repeats, become a list.
  static func json(_ members: [(String, Secret)]) -> RequestBody { json(Members(members: members)) }

  static func json(_ object: some JSONObject) -> RequestBody {
    RequestBody(text: Secret(JSONObjectWriter.text(of: object)), contentType: "application/json")
  }

  private struct Members: JSONObject {
    let members: [(String, Secret)]

    func write(to object: inout JSONObjectWriter) {
      var written: Set<String> = []
      for (name, value) in members where written.insert(name).inserted {
        let values = members.filter { $0.0 == name }.map(\.1)
        if values.count == 1 {
          object.member(name, value)
        } else {
          object.member(name, values.map { String(decoding: $0.bytes, as: UTF8.self) })
        }
      }
    }
  }
}
