import CCurl

/// What time it was where an answer came from (RFC 9110, section 6.6.1).
enum ResponseDate {
  /// Of `Date`, and of `Age`, which a cache adds (RFC 9111, section 5.1). Unix seconds; nil for what is no date.
  static func seconds(_ date: String?, age: String?) -> Int? {
    // A date begins with the name of a day; curl_getdate would also take a bare number or time of day for one.
    guard let date, let first = date.utf8.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) else {
      return nil
    }
    let seconds = unsafe curl_getdate(date, nil)
    guard seconds >= 0 else { return nil }
    return seconds + max(0, age.flatMap { Int32($0) }.map { Int($0) } ?? 0)
  }
}
