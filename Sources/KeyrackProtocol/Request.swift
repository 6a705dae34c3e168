import FoundationEssentials
import Synchronization

/// One request: an operation and the `id` that its answers carry.
package struct Request: Sendable {
  package enum Call: Sendable {
    case version(VersionOperation)
    case login(LoginOperation)
    case loginResponse(LoginResponseOperation)
    case cancel(CancelOperation)
    case logout(LogoutOperation)
    case token(TokenOperation)
    case status(StatusOperation)
    case check(CheckOperation)
    case subscribe(SubscribeOperation)
    case reload(ReloadOperation)
    case providers(ProvidersOperation)
    case discover(DiscoverOperation)
    case register(RegisterOperation)
    case secret(SecretOperation)
    case resolve(ResolveOperation)
    case purge(PurgeOperation)
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
package final class RequestReader: Sendable {
  private let decoder = JSONDecoder()
  private let answered = Mutex(RecentRequests())

  package init() {}

  /// Of a line that the scan refuses, in bytes: to look for the `id` in a longer one takes the decoder too long.
  private static let longestForID = 4096

  /// Whether the JSON decoder must never see the text of a member.
  private static func isSecret(_ member: JSONScan.Member) -> Bool {
    switch member.name {
    case "password", "refresh_token", "rejected", "secret": true
    // What a browser ended on has the code in it, and people write passwords into others.
    case "url": true
    default: false
    }
  }

  /// The request that a line holds, the line being without its line feed. Secrets are lifted out of `line`, which holds
  /// asterisks in their place afterwards.
  package func read(_ line: inout [UInt8]) throws(RequestError) -> Request {
    let scan: JSONScan
    do { scan = try JSONScan(line) } catch {
      throw RequestError(id: id(ofRefused: line), error: Self.badRequest("\(error.message), at byte \(error.position)"))
    }
    let id = Self.id(in: scan, line)
    let shape = RecentRequests.shape(of: line, scan, hasSecret: scan.members.contains { Self.isSecret($0) })
    if let shape, let call = answered.withLock({ $0[shape] }) { return Request(id: id, call: call) }
    do throws(ReplyError) {
      try Self.checkNumbers(of: scan, line)
      let call = try call(try Self.operation(in: scan, line), scan, &line)
      if let shape { answered.withLock { $0[shape] = call } }
      return Request(id: id, call: call)
    } catch {
      throw RequestError(id: id, error: error)
    }
  }

  /// What the decoder finds, unless no reply may have it.
  private func id(ofRefused line: [UInt8]) -> RequestID? {
    guard line.count <= Self.longestForID else { return nil }
    let id = (try? decoder.decode(IDOnly.self, from: Data(line)))?.id
    if case .text(let text) = id, text.utf8.contains(0) { return nil }
    return id
  }

  private func call(
    _ name: OperationName, _ scan: JSONScan, _ line: inout [UInt8]
  ) throws(ReplyError) -> Request.Call {
    switch name {
    case .version: .version(try decode(scan, &line))
    case .login: .login(try decode(scan, &line))
    case .loginResponse: .loginResponse(try decode(scan, &line))
    case .cancel: .cancel(try decode(scan, &line))
    case .logout: .logout(try decode(scan, &line))
    case .token: .token(try decode(scan, &line))
    case .status: .status(try decode(scan, &line))
    case .check: .check(try decode(scan, &line))
    case .subscribe: .subscribe(try decode(scan, &line))
    case .reload: .reload(try decode(scan, &line))
    case .providers: .providers(try decode(scan, &line))
    case .discover: .discover(try decode(scan, &line))
    case .register: .register(try decode(scan, &line))
    case .secret: .secret(try decode(scan, &line))
    case .resolve: .resolve(try decode(scan, &line))
    case .purge: .purge(try decode(scan, &line))
    }
  }

  /// The operation, once all members of the object are known to be its own.
  private func decode<O: Operation>(_ scan: JSONScan, _ line: inout [UInt8]) throws(ReplyError) -> O {
    for member in scan.members where member.name != "op" && member.name != "id" {
      guard O.CodingKeys.allCases.contains(where: { $0.stringValue == member.name }) else {
        let known = O.CodingKeys.allCases.map(\.stringValue).joined(separator: ", ")
        throw ReplyError(
          .badRequest, "\(member.name.excerpt): \(O.name.rawValue) has no such member",
          hint: known.isEmpty ? "it has no members" : "it has \(known)")
      }
    }
    let decoder = try self.decoder(for: scan, &line)
    do { return try decoder.decode(O.self, from: Data(line)) } catch { throw Self.badRequest(Self.describe(error)) }
  }

  private func decoder(for scan: JSONScan, _ line: inout [UInt8]) throws(ReplyError) -> JSONDecoder {
    var lifted: [String: Secret] = [:]
    for member in scan.members where Self.isSecret(member) {
      guard let range = member.string else { continue }
      do { lifted[member.name] = Secret(try JSONScan.unescaped(line, range)) } catch {
        throw Self.badRequest("\(member.name): \(error.message)")
      }
      for position in range { line[position] = UInt8(ascii: "*") }
    }
    guard !lifted.isEmpty, let key = CodingUserInfoKey.liftedSecrets else { return decoder }
    let own = JSONDecoder()
    own.userInfo[key] = lifted
    return own
  }

  /// The decoder takes `1e3` and `01` for a whole number, and calls a text with `1e999` or 2^63 no JSON at all.
  private static func checkNumbers(of scan: JSONScan, _ line: [UInt8]) throws(ReplyError) {
    for member in scan.members {
      guard let number = scan.number(of: member, in: line), Int64(number).map(String.init) != number else { continue }
      let expected = member.name == "id" ? "a string or a whole number" : "a whole number"
      throw badRequest("\(member.name): expected \(expected)")
    }
  }

  // `op` and `id` are taken from the scan: with the decoder it would take a pass for them and one for the rest, and half
  // as long again.

  private static func id(in scan: JSONScan, _ line: [UInt8]) -> RequestID? {
    guard let member = scan.members.first(where: { $0.name == "id" }) else { return nil }
    if let text = scan.text(of: member, in: line) { return .text(text) }
    return scan.number(of: member, in: line).flatMap { Int64($0) }.map { .number($0) }
  }

  private static func operation(in scan: JSONScan, _ line: [UInt8]) throws(ReplyError) -> OperationName {
    if let id = scan.members.first(where: { $0.name == "id" }), id.string == nil, scan.number(of: id, in: line) == nil {
      throw badRequest("id: expected a string or a whole number")
    }
    guard let member = scan.members.first(where: { $0.name == "op" }) else { throw badRequest("op: missing") }
    guard let name = scan.text(of: member, in: line) else { throw badRequest("op: expected a string") }
    guard let operation = OperationName(rawValue: name) else {
      let known = OperationName.allCases.map(\.rawValue).joined(separator: ", ")
      throw ReplyError(.unknownOperation, "op: \"\(name.excerpt)\" is not an operation", hint: "use one of \(known)")
    }
    return operation
  }

  private static func badRequest(_ message: String) -> ReplyError {
    ReplyError(.badRequest, message, hint: "see \"Protocol\" in the README of Keyrack")
  }

  /// A decoding error in one line, naming the member.
  private static func describe(_ error: any Error) -> String {
    switch error {
    case let invalid as InvalidMember: invalid.message
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
    case is [Any].Type: "an array"
    case is [String: Any].Type: "an object"
    default: "a value of another type"
    }
  }
}

/// For a line that is refused but is an object all the same.
private struct IDOnly: Decodable { let id: RequestID? }

extension Operation {
  /// The request line of this operation, with its line feed.
  package func line(id: RequestID? = nil) -> [UInt8] {
    var line = JSONObjectWriter.text(of: Outgoing(id: id, operation: self), omittingNull: true)
    line.append(UInt8(ascii: "\n"))
    return line
  }
}

private struct Outgoing<O: Operation>: JSONObject {
  let id: RequestID?
  let operation: O

  func write(to object: inout JSONObjectWriter) {
    object.member("op", O.name)
    object.member(id: id)
    operation.write(to: &object)
  }
}
