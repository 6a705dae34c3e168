import KeyrackProtocol

/// What a request carries, in a buffer that is overwritten when the request has ended.
struct RequestBody {
  let buffer: WipedBuffer
  let contentType: String

  static func form(_ members: [(String, Secret)]) -> RequestBody {
    RequestBody(buffer: FormEncoding.body(members), contentType: FormEncoding.contentType)
  }

  static func json(_ members: [(String, Secret)]) -> RequestBody {
    let text = Secret(JSONObjectWriter.text(of: Members(members: members)))
    return RequestBody(buffer: WipedBuffer([text]), contentType: "application/json")
  }

  private struct Members: JSONObject {
    let members: [(String, Secret)]

    func write(to object: inout JSONObjectWriter) {
      for (name, value) in members { object.member(name, value) }
    }
  }
}
