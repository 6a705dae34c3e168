import FoundationEssentials

/// The one line with `ok` that answers a request.
package struct Reply<Body: Decodable & JSONObject & Sendable>: Sendable {
  package let id: RequestID?
  package let result: Result<Body, ReplyError>

  package init(id: RequestID?, result: Result<Body, ReplyError>) {
    self.id = id
    self.result = result
  }

  /// The line, with its line feed.
  package func line() -> [UInt8] {
    var line = JSONObjectWriter.text(of: self)
    line.append(UInt8(ascii: "\n"))
    return line
  }

  /// Reads a reply line. Throws `DecodingError` where it is none.
  package init(line: some Collection<UInt8>) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(line))
  }
}

extension Reply: Decodable, JSONObject {
  private enum CodingKeys: String, CodingKey { case id, ok, error }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decodeIfPresent(RequestID.self, forKey: .id)
    if try container.decode(Bool.self, forKey: .ok) {
      result = .success(try Body(from: decoder))
    } else {
      result = .failure(try container.decode(ReplyError.self, forKey: .error))
    }
  }

  package func write(to object: inout JSONObjectWriter) {
    object.member(id: id)
    switch result {
    case .success(let body):
      object.member("ok", true)
      body.write(to: &object)
    case .failure(let error):
      object.member("ok", false)
      object.member("error", error)
    }
  }
}
