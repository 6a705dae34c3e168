/// The command line.
struct Options {
  /// 0 for any that is free.
  private(set) var port: UInt16 = 0
  private(set) var settings = Settings()
  private(set) var endsWithStandardInput = false

  struct UsageError: Error, CustomStringConvertible {
    let description: String
  }

  init(_ arguments: some Sequence<String>) throws {
    var rest = arguments.makeIterator()
    while let argument = rest.next() {
      switch argument {
      case "--port": port = try Self.value(of: argument, rest.next(), UInt16.init)
      case "--access-lifetime":
        settings.accessLifetime = try Self.value(of: argument, rest.next()) { Double($0).flatMap { $0 > 0 ? $0 : nil } }
      case "--no-rotation": settings.rotation = false
      case "--user":
        let (name, password) = try Self.value(of: argument, rest.next(), Self.user)
        settings.users[name] = password
      case "--until-stdin-closes": endsWithStandardInput = true
      default: throw UsageError(description: "unknown option \(argument)")
      }
    }
  }

  private static func value<Value>(
    of option: String, _ text: String?, _ parse: (String) -> Value?
  ) throws -> Value {
    guard let value = text.flatMap(parse) else { throw UsageError(description: "\(option): no such value") }
    return value
  }

  private static func user(_ text: String) -> (name: String, password: String)? {
    guard let separator = text.firstIndex(of: "=") else { return nil }
    return (String(text[..<separator]), String(text[text.index(after: separator)...]))
  }
}
