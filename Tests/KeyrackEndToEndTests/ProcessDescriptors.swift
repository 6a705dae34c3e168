import Foundation
import Glibc

/// What another process has open, as one who may look sees it: root, of a process that cannot be dumped.
struct ProcessDescriptors {
  let pid: Int32
  /// What each number leads to, such as `socket:[123]`.
  let targets: [Int32: String]

  init(_ pid: Int32) throws {
    self.pid = pid
    var targets: [Int32: String] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd") {
      guard let number = Int32(name) else { continue }
      // One that has been closed in between is not there any more.
      targets[number] = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/\(name)")
    }
    self.targets = targets
  }

  /// The limit that leaves so many free: a new descriptor gets the lowest free number, which must be below the limit.
  func limit(leaving free: Int) -> Int32 {
    var left = free
    var number: Int32 = 0
    while targets[number] != nil || left > 0 {
      if targets[number] == nil { left -= 1 }
      number += 1
    }
    return number
  }
}
