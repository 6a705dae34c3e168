extension HTTPResponse {
  var isSuccess: Bool { (200..<300).contains(status) }

  /// A page for people: from a captive portal, a proxy, a web server.
  var isWebPage: Bool {
    if let type = contentType?.lowercased(), type.hasPrefix("text/html") || type.hasPrefix("application/xhtml") {
      return true
    }
    return body.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "<")
  }

  /// Nothing but white space.
  var isBlank: Bool { body.allSatisfy { " \t\r\n".utf8.contains($0) } }
}
