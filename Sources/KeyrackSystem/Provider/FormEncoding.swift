import CCurl
import Glibc
import KeyrackProtocol

/// `application/x-www-form-urlencoded`, by libcurl's percent-encoding.
enum FormEncoding {
  static let contentType = "application/x-www-form-urlencoded"

  /// The members in their order. A space becomes `%20`, which every decoder takes for one.
  static func body(_ members: [(name: String, value: Secret)]) -> Secret {
    var pieces: [Secret] = []
    for (name, value) in members {
      pieces.append(Secret(pieces.isEmpty ? "" : "&"))
      pieces.append(escaped(Secret(name)))
      pieces.append(Secret("="))
      pieces.append(escaped(value))
    }
    return Secret(joining: pieces)
  }

  private static let maximumCount = 1000

  /// Nil where it is no form: a pair without `=`, text that is not UTF-8, too many pairs to make sense. Of a repeated
  /// name the first counts.
  static func members(_ body: some Sequence<UInt8>) -> [String: String]? {
    var members: [String: String] = [:]
    let pairs = body.split(separator: UInt8(ascii: "&"), maxSplits: maximumCount)
    guard pairs.count <= maximumCount else { return nil }
    for pair in pairs {
      let halves = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard halves.count == 2, let name = unescaped(halves[0]), let value = unescaped(halves[1]) else { return nil }
      if members[name] == nil { members[name] = value }
    }
    return members
  }

  static func escaped(_ text: Secret) -> Secret {
    // libcurl measures a text of length 0 itself.
    guard !text.isEmpty else { return text }
    let escaped = unsafe text.withUnsafeBytes { bytes in
      unsafe curl_easy_escape(nil, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
    }
    guard let escaped = unsafe escaped else { return Secret("") }
    defer {
      unsafe explicit_bzero(escaped, strlen(escaped))
      unsafe curl_free(escaped)
    }
    return unsafe Secret(Array(UnsafeRawBufferPointer(start: escaped, count: strlen(escaped))))
  }

  private static func unescaped(_ text: some Sequence<UInt8>) -> String? {
    let spaced = text.map { CChar(bitPattern: $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0) }
    guard !spaced.isEmpty else { return "" }
    var count: Int32 = 0
    guard let plain = unsafe curl_easy_unescape(nil, spaced, Int32(spaced.count), &count) else { return nil }
    defer {
      unsafe explicit_bzero(plain, Int(count))
      unsafe curl_free(plain)
    }
    return unsafe String(validating: UnsafeRawBufferPointer(start: plain, count: Int(count)), as: UTF8.self)
  }
}
