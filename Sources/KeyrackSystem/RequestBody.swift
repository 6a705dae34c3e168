import KeyrackProtocol

/// What a request carries, in a buffer that is overwritten when the request has ended.
struct RequestBody {
  let buffer: WipedBuffer
  let contentType: String

  static func form(_ members: [(String, Secret)]) -> RequestBody {
    RequestBody(buffer: FormEncoding.body(members), contentType: FormEncoding.contentType)
  }

  static func json(_ members: [(String, Secret)]) -> RequestBody {
    var pieces: [Secret] = []
    for (name, value) in members {
      var bytes = Array((pieces.isEmpty ? "{" : ",").utf8)
      JSONLineEncoder.append(name.utf8, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      JSONLineEncoder.append(value.bytes, to: &bytes)
      pieces.append(Secret(bytes))
    }
    return RequestBody(buffer: WipedBuffer(pieces + [Secret("}")]), contentType: "application/json")
  }
}
