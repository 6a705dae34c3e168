import FoundationEssentials
import KeyrackProtocol

/// The JSON that a program printed. Secrets are taken out before the decoder sees it, whose copies nobody can wipe.
enum ImportedJSON {
  private static let secrets: Set = ["refresh_token", "client_secret", "access_token", "password"]

  static func decode<Record: Decodable>(_ type: Record.Type, from text: [UInt8]) throws(CommandFailure) -> Record {
    var text = text
    do {
      let scan = try JSONScan(text)
      let decoder = JSONDecoder()
      if let key = CodingUserInfoKey.liftedSecrets { decoder.userInfo[key] = try lift(scan, from: &text) }
      return try decoder.decode(type, from: Data(text))
    } catch let error as JSONScanError {
      throw failure("\(error.message) at byte \(error.position)")
    } catch DecodingError.keyNotFound(let key, _) {
      throw failure("it has no \(key.stringValue)")
    } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
      throw failure("\(context.codingPath.map(\.stringValue).joined(separator: ".")) is not what it should be")
    } catch {
      // Not the error itself: it may quote what it is about.
      throw failure("not JSON")
    }
  }

  private static func lift(_ scan: JSONScan, from text: inout [UInt8]) throws(JSONScanError) -> [String: Secret] {
    var lifted: [String: Secret] = [:]
    for member in scan.members where secrets.contains(member.name) {
      guard let range = member.string else { continue }
      lifted[member.name] = Secret(try JSONScan.unescaped(text, range))
      for position in range { text[position] = UInt8(ascii: "*") }
    }
    return lifted
  }

  private static func failure(_ what: String) -> CommandFailure {
    CommandFailure(status: 1, "not what can be taken over: \(what)", hint: "keyrack import --help")
  }
}

extension Secret {
  /// Nil where there is no text: programs write "" for what they do not have.
  var ifAny: Secret? { isEmpty ? nil : self }
}

extension String {
  var ifAny: String? { isEmpty ? nil : self }
}
