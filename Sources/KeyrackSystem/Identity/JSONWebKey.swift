import CJOSE
import KeyrackCore
import KeyrackProtocol

/// One public key of a provider (RFC 7517, section 4), as it was read. Which of them fits a token is told here, whether it
/// is a key at all only when it is used.
struct JSONWebKey: Sendable, Decodable {
  let keyID: String?
  private let type: String?
  private let use: String?
  private let operations: [String]?
  private let algorithm: String?
  private let curve: String?
  /// n and e, or x and y.
  private let numbers: [String: String]

  private enum CodingKeys: String, CodingKey { case kid, kty, use, alg, crv, n, e, x, y, keyOps = "key_ops" }

  /// Never throws for a member of the wrong type: one broken key does not spoil the others.
  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    func text(_ key: CodingKeys) -> String? { try? members.decode(String.self, forKey: key) }
    keyID = text(.kid)
    type = text(.kty)
    use = text(.use)
    operations = try? members.decode([String].self, forKey: .keyOps)
    algorithm = text(.alg)
    curve = text(.crv)
    numbers = [CodingKeys.n, .e, .x, .y].reduce(into: [:]) { $0[$1.rawValue] = text($1) }
  }

  /// Whether a signature by that algorithm may be of this key.
  func fits(_ algorithm: SignatureAlgorithm) -> Bool {
    if let type, type != algorithm.keyType { return false }
    if type == nil || curve != algorithm.curve && type == "EC" { return false }
    if let use, use != "sig" { return false }
    if let operations, !operations.contains("verify") { return false }
    return self.algorithm == nil || self.algorithm == algorithm.rawValue
  }

  /// The key in cjose's hands; nil where it is none: numbers missing, a point that is not on its curve, an RSA key of
  /// less than 2048 bits (RFC 7518, section 3.3) or more than 8192.
  func imported(for algorithm: SignatureAlgorithm) -> CJOSEKey? {
    let names = algorithm.curve == nil ? ["n", "e"] : ["x", "y"]
    var text = PublicKeyText(type: algorithm.keyType, curve: algorithm.curve)
    for name in names {
      guard let number = numbers[name], !number.isEmpty else { return nil }
      text.numbers.append((name, algorithm.coordinateSize.map { Self.padded(number, to: $0) } ?? number))
    }
    guard let key = CJOSEKey(json: JSONObjectWriter.text(of: text, omittingNull: true)) else { return nil }
    return algorithm.curve != nil || (2048...8192).contains(key.bits) ? key : nil
  }
}

extension JSONWebKey {
  /// A coordinate with all the octets that it has to have (RFC 7518, section 6.2.1.2): some servers leave out those at its
  /// start that are zero, and cjose takes no other number of them.
  fileprivate static func padded(_ number: String, to size: Int) -> String {
    let bytes = Base64.urlDecoded(Array(number.utf8)[...]).drop { $0 == 0 }
    guard bytes.count < size else { return number }
    return Base64.urlText([UInt8](repeating: 0, count: size - bytes.count) + bytes)
  }
}

/// Only the public members: nothing else that a provider may send gets to cjose.
private struct PublicKeyText: JSONObject {
  let type: String
  let curve: String?
  var numbers: [(String, String)] = []

  func write(to object: inout JSONObjectWriter) {
    object.member("kty", type)
    object.member("crv", curve)
    for (name, number) in numbers { object.member(name, number) }
  }
}

extension SignatureAlgorithm {
  /// RFC 7518, section 6.1.
  var keyType: String { curve == nil ? "RSA" : "EC" }

  /// Octets of a coordinate.
  fileprivate var coordinateSize: Int? {
    switch self {
    case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: nil
    case .es256: 32
    case .es384: 48
    case .es512: 66
    }
  }

  /// RFC 7518, section 3.4: each algorithm has its curve.
  var curve: String? {
    switch self {
    case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: nil
    case .es256: "P-256"
    case .es384: "P-384"
    case .es512: "P-521"
    }
  }
}
