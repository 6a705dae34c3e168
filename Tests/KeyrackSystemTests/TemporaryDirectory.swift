import Glibc
import KeyrackSystem

/// A directory of mode 0700 that is removed with what is in it.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/keyrack-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemError("make a directory", code: errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { nftw(path, { path, _, _, _ in path.map { remove($0) } ?? 0 }, 8, Int32(FTW_DEPTH) | Int32(FTW_PHYS)) }
}
