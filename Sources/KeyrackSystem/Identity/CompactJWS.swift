import CJOSE
import FoundationEssentials
import KeyrackCore
import KeyrackProtocol

/// An id_token whose signature nobody has looked at: only what is needed to find the key for it.
struct CompactJWS: Sendable {
  let algorithm: SignatureAlgorithm
  let keyID: String?
  let bytes: [UInt8]

  /// Bytes of a token.
  static let maximumCount = 64 << 10

  /// Throws for what is not three parts of base64url (RFC 7515, section 7.1), for a header that is no strict JSON and
  /// for one that wants anything we do not know.
  init(_ token: Secret) throws(IDTokenError) {
    bytes = token.bytes
    guard bytes.count <= Self.maximumCount else { throw Self.broken("it has more than \(Self.maximumCount) bytes") }
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    // RFC 7516, section 3.1.
    guard parts.count != 5 else { throw Self.broken("it is encrypted (JWE), which is not supported") }
    guard parts.count == 3, parts.dropLast().allSatisfy({ !$0.isEmpty }), parts.allSatisfy(Base64.isURLEncoded) else {
      throw Self.broken("it is not a signed token in the compact form")
    }
    let header: JWSHeader = try Self.json(Base64.urlDecoded(parts[0]), "header")
    // RFC 7515, section 4.1.11: whoever does not understand an extension must refuse. We understand none.
    guard !header.isCritical else { throw Self.broken("its header has extensions that must be understood (crit)") }
    algorithm = try Self.algorithm(header.algorithm)
    keyID = header.keyID
    guard !parts[2].isEmpty else { throw Self.broken("it has no signature") }
  }

  /// Strict: neither duplicate members nor deep nesting.
  static func json<Value: Decodable>(_ text: [UInt8], _ part: String) throws(IDTokenError) -> Value {
    do { _ = try JSONScan(text) } catch { throw broken("its \(part) is not JSON as it should be: \(error.message)") }
    do { return try JSONDecoder().decode(Value.self, from: Data(text)) } catch let error as IDTokenError {
      throw error
    } catch { throw broken("its \(part) is not JSON as it should be") }
  }

  static func broken(_ reason: String) -> IDTokenError {
    IDTokenError(.invalid, "the id_token is not valid: \(reason)")
  }

  private static func algorithm(_ name: String) throws(IDTokenError) -> SignatureAlgorithm {
    if let algorithm = SignatureAlgorithm.allCases.first(where: { $0.rawValue.utf8.elementsEqual(name.utf8) }) {
      return algorithm
    }
    switch name {
    case "none": throw broken("it is not signed (alg none)")
    case "HS256", "HS384", "HS512":
      throw broken("it is signed with a shared secret (alg \(name)), which is not accepted")
    case "EdDSA", "Ed25519", "ES256K": throw broken("its signature algorithm \(name) is not supported")
    default: throw broken("its signature algorithm is not supported")
    }
  }
}

/// The members of a JOSE header that matter (RFC 7515, section 4.1). Keys and certificates in it are ignored: they would
/// be the signer's own word.
private struct JWSHeader: Decodable {
  let algorithm: String
  let keyID: String?
  let isCritical: Bool

  private enum CodingKeys: String, CodingKey { case alg, kid, crit }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    guard let algorithm = try? members.decode(String.self, forKey: .alg) else {
      throw CompactJWS.broken("its header has no alg")
    }
    self.algorithm = algorithm
    if members.contains(.kid) {
      guard let keyID = try? members.decode(String.self, forKey: .kid) else {
        throw CompactJWS.broken("the kid in its header is not a text")
      }
      self.keyID = keyID
    } else {
      keyID = nil
    }
    isCritical = members.contains(.crit)
  }
}
