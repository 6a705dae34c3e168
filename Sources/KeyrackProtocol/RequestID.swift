/// The `id` of a request: a string or a whole number, echoed on every line that answers it.
public enum RequestID: Sendable, Hashable, Decodable {
  case number(Int64)
  case text(String)

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int64.self) {
      self = .number(number)
    } else {
      self = .text(try container.decode(String.self))
    }
  }

}

extension JSONObjectWriter {
  /// Left out where there is none.
  mutating func member(id: RequestID?) {
    switch id {
    case .number(let number): member("id", Int(number))
    case .text(let text): member("id", text)
    case nil: break
    }
  }
}
