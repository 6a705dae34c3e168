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

  /// Never blocks, and is for a pipe that is empty.
  func write(_ bytes: [UInt8]) throws(Hook.Failure) {
    guard bytes.count <= PIPE_BUF else { throw Hook.Failure("would be handed more than \(PIPE_BUF) bytes") }
    let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(writeEnd, $0.baseAddress, $0.count) }
    guard count == bytes.count else { throw Hook.Failure("has no input: \(SystemError.text(of: errno))") }
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
