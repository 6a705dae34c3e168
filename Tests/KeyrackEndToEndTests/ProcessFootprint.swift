import Foundation
import TestSupport

/// What a process takes up.
struct ProcessFootprint: CustomStringConvertible {
  let pid: Int32
  let residentKiB: Int
  let threads: Int
  /// Nil where this user may not look.
  let descriptors: Int?

  init(_ pid: Int32) throws {
    let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    func number(_ name: String) -> Int {
      let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") } ?? ""
      return Int(line.filter(\.isWholeNumber)) ?? 0
    }
    self.pid = pid
    residentKiB = number("VmRSS")
    threads = number("Threads")
    descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count
  }

  var description: String {
    "\(residentKiB) KiB, \(threads) threads, \(descriptors.map { "\($0)" } ?? "?") descriptors"
  }
}

extension KeyrackFixture {
  /// Of keyrackd and keyrack-keyring with nothing under way: once all connections have gone that the clients have left,
  /// and between refreshes that nobody asks for.
  func footprints() async throws -> [ProcessFootprint] {
    var least: [ProcessFootprint] = []
    var samples = 0
    try await eventually("the connections to go", within: .seconds(30)) {
      let now = try await daemon.processes().map(ProcessFootprint.init)
      samples += 1
      if least.isEmpty || zip(now, least).contains(where: { $0.descriptors ?? 0 < $1.descriptors ?? 0 }) {
        (least, samples) = (now, 0)
      }
      return samples == 100
    }
    return least
  }
}
