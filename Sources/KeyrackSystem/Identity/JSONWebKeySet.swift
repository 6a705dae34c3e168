import FoundationEssentials
import KeyrackCore
import KeyrackProtocol

/// The public keys of a provider (RFC 7517, section 5).
struct JSONWebKeySet: Sendable {
  let keys: [JSONWebKey]

  /// Of one provider.
  static let maximumCount = 100

  private struct Document: Decodable { let keys: [JSONWebKey] }

  init(_ response: HTTPResponse) throws(KeySetError) {
    guard response.status == 200 else { throw .unavailable("HTTP \(response.status)") }
    do { _ = try JSONScan(response.body) } catch { throw .malformed(error.message) }
    guard let document = try? JSONDecoder().decode(Document.self, from: Data(response.body)) else {
      throw .malformed("no list of keys")
    }
    guard document.keys.count <= Self.maximumCount else { throw .malformed("more than \(Self.maximumCount) keys") }
    keys = document.keys
  }

  /// The keys that a token may be signed with: those of its `kid`, else all that fit its algorithm.
  func candidates(for token: CompactJWS) -> [JSONWebKey] {
    keys.filter { key in
      guard key.fits(token.algorithm) else { return false }
      guard let wanted = token.keyID else { return true }
      return key.keyID?.utf8.elementsEqual(wanted.utf8) ?? false
    }
  }

  /// Whether there is a key of that name, fitting or not.
  func names(_ keyID: String) -> Bool { keys.contains { $0.keyID?.utf8.elementsEqual(keyID.utf8) ?? false } }
}

enum KeySetError: Error, Equatable {
  /// May be better later.
  case unavailable(String)
  /// What came is no key set.
  case malformed(String)
}
