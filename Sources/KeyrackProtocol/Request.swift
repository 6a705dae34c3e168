import FoundationEssentials

/// One request: an operation and the `id` that its answers carry.
package struct Request: Sendable {
  package enum Call: Sendable {
    case version(VersionOperation)
    case login(LoginOperation)
    case cancel(CancelOperation)
    case logout(LogoutOperation)
    case token(TokenOperation)
    case status(StatusOperation)
    case reload(ReloadOperation)
  }

  package let id: RequestID?
  package let call: Call
}

/// What could not be read as a request, and the `id` to answer under where that could.
package struct RequestError: Error, Equatable {
  package let id: RequestID?
  package let error: ReplyError
}

/// Reads requests, strictly: an unknown member, a wrong type, a duplicate, NUL, invalid UTF-8 and nesting over 32 levels
/// are `bad_request`, and the message says what and where.
package struct RequestReader {
  private let decoder = JSONDecoder()
  /// Members whose text the JSON decoder never sees.
  private static let secretMembers: Set = ["password", "refresh_token", "rejected"]

  package init() {}

  /// The request that a line holds, the line being without its line feed. Secrets are lifted out of `line`, which holds
  /// asterisks in their place afterwards.
  package func read(_ line: inout [UInt8]) throws(RequestError) -> Request {
    let scan: JSONScan
    do { scan = try JSONScan(line) } catch {
      let id = (try? decoder.decode(IDOnly.self, from: Data(line)))?.id
      throw RequestError(id: id, error: Self.badRequest("\(error.message), at byte \(error.position)"))
    }
    try Self.checkNumbers(of: scan, line)
    let decoder = try self.decoder(for: scan, &line)
    do {
      return try decoder.decode(Envelope.self, from: Data(line), configuration: scan).request
    } catch let error as RequestError {
      throw error
    } catch {
      throw RequestError(id: Self.id(in: scan, line), error: Self.badRequest(Self.describe(error)))
    }
  }

  private func decoder(for scan: JSONScan, _ line: inout [UInt8]) throws(RequestError) -> JSONDecoder {
    var lifted: [String: Secret] = [:]
    for member in scan.members where Self.secretMembers.contains(member.name) {
      guard let range = member.string else { continue }
      do { lifted[member.name] = Secret(try JSONScan.unescaped(line, range)) } catch {
        throw RequestError(id: Self.id(in: scan, line), error: Self.badRequest("\(member.name): \(error.message)"))
      }
      for position in range { line[position] = UInt8(ascii: "*") }
    }
    guard !lifted.isEmpty, let key = CodingUserInfoKey.liftedSecrets else { return decoder }
    let own = JSONDecoder()
    own.userInfo[key] = lifted
    return own
  }

  /// The decoder takes `1e3` for a whole number, and calls a text with `1e999` or 2^63 no JSON at all.
  private static func checkNumbers(of scan: JSONScan, _ line: [UInt8]) throws(RequestError) {
    for member in scan.members {
      guard let number = scan.number(of: member, in: line), number.hasPrefix("-0") || Int64(number) == nil else {
        continue
      }
      let expected = member.name == "id" ? "a string or a whole number" : "a whole number"
      throw RequestError(id: id(in: scan, line), error: badRequest("\(member.name): expected \(expected)"))
    }
  }

  /// The `id` of an object that the decoder has not seen.
  private static func id(in scan: JSONScan, _ line: [UInt8]) -> RequestID? {
    guard let member = scan.members.first(where: { $0.name == "id" }) else { return nil }
    if let string = member.string, let text = try? JSONScan.unescaped(line, string) {
      return .text(String(decoding: text, as: UTF8.self))
    }
    return scan.number(of: member, in: line).flatMap { Int64($0) }.map { .number($0) }
  }

  private static func badRequest(_ message: String) -> ReplyError {
    ReplyError(.badRequest, message, hint: "see \"Protocol\" in the README of Keyrack")
  }

  /// A decoding error in one line, naming the member.
  fileprivate static func describe(_ error: any Error) -> String {
    switch error {
    case DecodingError.typeMismatch(let type, let context):
      "\(path(context)): expected \(describe(type))"
    case DecodingError.valueNotFound(let type, let context):
      "\(path(context)): expected \(describe(type)), found null"
    case DecodingError.keyNotFound(let key, _):
      "\(key.stringValue): missing"
    case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
      "\(path(context)): not a value that this member can have"
    default:
      "not JSON"
    }
  }

  private static func path(_ context: DecodingError.Context) -> String {
    context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
  }

  private static func describe(_ type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Bool.Type: "true or false"
    case is any BinaryInteger.Type: "a whole number"
    default: "a value of another type"
    }
  }
}

/// For a line that is refused but is an object all the same.
private struct IDOnly: Decodable { let id: RequestID? }

/// Decodes `op` and `id`, then the members of that operation from the same object.
private struct Envelope: DecodableWithConfiguration {
  let request: Request

  private enum CodingKeys: String, CodingKey { case op, id }

  init(from decoder: any Decoder, configuration scan: JSONScan) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    var id: RequestID?
    do {
      id = try container.decodeIfPresent(RequestID.self, forKey: .id)
    } catch {
      throw RequestError(id: nil, error: ReplyError(.badRequest, "id: expected a string or a whole number"))
    }
    do {
      let name = try container.decode(String.self, forKey: .op)
      guard let operation = OperationName(rawValue: name) else {
        let known = OperationName.allCases.map(\.rawValue).joined(separator: ", ")
        throw ReplyError(.unknownOperation, "op: \"\(name)\" is not an operation", hint: "use one of \(known)")
      }
      request = Request(id: id, call: try Self.call(operation, decoder, scan))
    } catch let error as ReplyError {
      throw RequestError(id: id, error: error)
    } catch {
      throw RequestError(id: id, error: ReplyError(.badRequest, RequestReader.describe(error)))
    }
  }

  private static func call(_ name: OperationName, _ decoder: any Decoder, _ scan: JSONScan) throws -> Request.Call {
    switch name {
    case .version: .version(try members(decoder, scan))
    case .login: .login(try members(decoder, scan))
    case .cancel: .cancel(try members(decoder, scan))
    case .logout: .logout(try members(decoder, scan))
    case .token: .token(try members(decoder, scan))
    case .status: .status(try members(decoder, scan))
    case .reload: .reload(try members(decoder, scan))
    }
  }

  /// The operation itself, once all members of the object are known to be its own.
  private static func members<O: Operation>(_ decoder: any Decoder, _ scan: JSONScan) throws -> O {
    for member in scan.members where member.name != "op" && member.name != "id" {
      guard O.CodingKeys.allCases.contains(where: { $0.stringValue == member.name }) else {
        let known = O.CodingKeys.allCases.map(\.stringValue).joined(separator: ", ")
        throw ReplyError(
          .badRequest, "\(member.name): \(O.name.rawValue) has no such member",
          hint: known.isEmpty ? "it has no members" : "it has \(known)")
      }
    }
    return try O(from: decoder)
  }
}

extension Operation {
  /// The request line of this operation, with its line feed.
  package func line(id: RequestID? = nil) throws -> [UInt8] {
    try JSONLineEncoder.encode(Outgoing(id: id, operation: self)) + [UInt8(ascii: "\n")]
  }
}

private struct Outgoing<O: Operation>: Encodable {
  let id: RequestID?
  let operation: O

  private enum CodingKeys: String, CodingKey { case op, id }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(O.name, forKey: .op)
    try container.encodeIfPresent(id, forKey: .id)
    try operation.encode(to: encoder)
  }
}
