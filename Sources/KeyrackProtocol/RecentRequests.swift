/// What lines of late meant. A program asks for the same token with the same line, time and again, but for the `id`; to
/// decode it took half of all that an answer takes.
struct RecentRequests {
  /// Lines that are remembered; when there are so many, all are forgotten.
  private static let capacity = 64
  /// Bytes of a line that is remembered.
  private static let maximumLength = 512

  private var calls: [[UInt8]: Request.Call] = [:]

  /// Only what asks for a token is remembered: no other line comes often.
  subscript(shape: [UInt8]) -> Request.Call? {
    get { calls[shape] }
    set {
      guard case .token = newValue else { return }
      if calls.count >= Self.capacity { calls.removeAll() }
      calls[shape] = newValue
    }
  }

  /// A line without the value of its `id`: two lines of one shape differ in that only. Nil where the line holds a secret,
  /// is long, or its `id` might not be what the decoder would take.
  static func shape(of line: [UInt8], _ scan: JSONScan, hasSecret: Bool) -> [UInt8]? {
    guard line.count <= maximumLength, !hasSecret else { return nil }
    guard let id = scan.members.first(where: { $0.name == "id" }) else { return line }
    var shape = line
    if let text = id.string {
      guard line[text].allSatisfy({ (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\\") }) else { return nil }
      shape.removeSubrange(text)
    } else {
      guard let text = scan.number(of: id, in: line), let number = Int64(text), String(number) == text else {
        return nil
      }
      shape.removeSubrange(id.valueStart..<id.valueStart + text.utf8.count)
    }
    return shape
  }
}
