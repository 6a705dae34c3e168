import CCurl

/// A URL in libcurl's hands, taken apart as libcurl takes it that connects to it. To be freed.
@unsafe struct URLParts {
  private let handle: OpaquePointer

  init?(_ text: String) {
    guard let handle = unsafe curl_url() else { return nil }
    guard unsafe curl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_NON_SUPPORT_SCHEME)) == CURLUE_OK else {
      unsafe curl_url_cleanup(handle)
      return nil
    }
    unsafe self.handle = handle
  }

  subscript(part: CURLUPart) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard unsafe curl_url_get(handle, part, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK, let text = unsafe text
    else {
      return nil
    }
    defer { unsafe curl_free(text) }
    return unsafe String(cString: text)
  }

  /// Takes another URL, which may be relative to this one.
  func follow(_ text: String) -> Bool {
    unsafe curl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_NON_SUPPORT_SCHEME)) == CURLUE_OK
  }

  /// Takes a part out. False where libcurl could not.
  func remove(_ part: CURLUPart) -> Bool { unsafe curl_url_set(handle, part, nil, 0) == CURLUE_OK }

  func free() { unsafe curl_url_cleanup(handle) }
}
