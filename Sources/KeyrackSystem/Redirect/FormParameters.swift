import CGLib
import Glibc
import KeyrackProtocol

/// `application/x-www-form-urlencoded`, as GLib decodes it: in order, with what is there twice.
enum FormParameters {
  /// Nil where an escape is none, or the text behind it is no UTF-8 or holds a NUL.
  static func decode(_ text: String) -> [(name: String, value: Secret)]? {
    // A name without `=` has no value, and counts as absent; GLib would refuse all.
    let pairs = text.split(separator: "&").filter { $0.contains("=") }.joined(separator: "&")
    return unsafe pairs.withCString { pairs in
      var parameters: [(name: String, value: Secret)] = []
      var iterator = unsafe GUriParamsIter()
      unsafe g_uri_params_iter_init(&iterator, pairs, -1, "&", G_URI_PARAMS_WWW_FORM)
      var failure: UnsafeMutablePointer<GError>?
      while let pair = unsafe next(&iterator, &failure) { parameters.append(pair) }
      guard let failure = unsafe failure else { return parameters }
      unsafe g_error_free(failure)
      return nil
    }
  }

  private static func next(
    _ iterator: inout GUriParamsIter, _ failure: inout UnsafeMutablePointer<GError>?
  ) -> (name: String, value: Secret)? {
    var name: UnsafeMutablePointer<CChar>?
    var value: UnsafeMutablePointer<CChar>?
    guard unsafe g_uri_params_iter_next(&iterator, &name, &value, &failure) != 0, let name = unsafe name,
      let value = unsafe value
    else { return nil }
    let count = unsafe strlen(value)
    defer {
      unsafe explicit_bzero(value, count)
      unsafe g_free(value)
      unsafe g_free(name)
    }
    return unsafe (String(cString: name), Secret(Array(UnsafeRawBufferPointer(start: value, count: count))))
  }
}
