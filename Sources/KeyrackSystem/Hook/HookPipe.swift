import CSystemd
import Glibc

final class HookPipe {
  private(set) var readEnd: Int32
  private(set) var writeEnd: Int32

  init() throws(Hook.Failure) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe2(&ends, O_CLOEXEC) == 0 else {
      throw Hook.Failure("has no pipe: \(SystemError.text(of: errno))")
    }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  deinit {
    closeReadEnd()
    closeWriteEnd()
  }

  func closeReadEnd() {
    if readEnd >= 0 { close(readEnd) }
    readEnd = -1
  }

  func closeWriteEnd() {
    if writeEnd >= 0 { close(writeEnd) }
    writeEnd = -1
  }
}
