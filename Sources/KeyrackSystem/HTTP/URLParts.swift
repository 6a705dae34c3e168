import CCurl
import Glibc

/// A URL in libcurl's hands, taken apart as libcurl takes it that connects to it. To be freed.
@unsafe struct URLParts {
  private let handle: OpaquePointer

  init?(_ text: String) {
    guard !text.utf8.contains(0), let handle = unsafe curl_url() else { return nil }
    guard unsafe curl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_NON_SUPPORT_SCHEME)) == CURLUE_OK else {
      unsafe curl_url_cleanup(handle)
      return nil
    }
    unsafe self.handle = handle
  }

  /// With the port that the scheme has where the URL names none.
  subscript(part: CURLUPart) -> String? { unsafe self[part, UInt32(CURLU_DEFAULT_PORT)] }

  /// Percent-decoded. Nil where it holds a control character.
  var decodedPath: [UInt8]? {
    var text: UnsafeMutablePointer<CChar>?
    let code = unsafe curl_url_get(handle, CURLUPART_PATH, &text, UInt32(CURLU_URLDECODE))
    guard code == CURLUE_OK, let text = unsafe text else { return nil }
    defer { unsafe curl_free(text) }
    return unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
  }

  /// The whole, without the port that the scheme has anyway.
  var text: String? { unsafe self[CURLUPART_URL, UInt32(CURLU_NO_DEFAULT_PORT)] }

  private subscript(part: CURLUPart, flags: UInt32) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard unsafe curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text = unsafe text else { return nil }
    defer { unsafe curl_free(text) }
    return unsafe String(cString: text)
  }

  /// Takes another URL, which may be relative to this one.
  func follow(_ text: String) -> Bool { unsafe set(CURLUPART_URL, text, UInt32(CURLU_NON_SUPPORT_SCHEME)) }

  /// Takes a part out. False where libcurl could not.
  func remove(_ part: CURLUPart) -> Bool { unsafe curl_url_set(handle, part, nil, 0) == CURLUE_OK }

  /// The path is percent-encoded already.
  func setPath(_ path: String) -> Bool { unsafe set(CURLUPART_PATH, path, 0) }

  /// Adds `name=value`, both percent-encoded already, to the query that is there.
  func addToQuery(_ pair: String) -> Bool { unsafe set(CURLUPART_QUERY, pair, UInt32(CURLU_APPENDQUERY)) }

  private func set(_ part: CURLUPart, _ text: String, _ flags: UInt32) -> Bool {
    unsafe !text.utf8.contains(0) && curl_url_set(handle, part, text, flags) == CURLUE_OK
  }

  func free() { unsafe curl_url_cleanup(handle) }
}
