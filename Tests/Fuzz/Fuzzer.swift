import Glibc

/// libFuzzer's own main, which takes a function to call with each input.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ take: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Runs the target that `KEYRACK_FUZZ_TARGET` names; the arguments are libFuzzer's, which starts itself again with them.
@main enum Fuzzer {
  private static let target = getenv("KEYRACK_FUZZ_TARGET").flatMap { FuzzTarget(rawValue: String(cString: $0)) }

  static func main() {
    guard target != nil else {
      print("KEYRACK_FUZZ_TARGET is to be one of", FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))
      exit(64)
    }
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    exit(
      runDriver(&count, &arguments) { bytes, count in
        Fuzzer.take(Array(UnsafeBufferPointer(start: bytes, count: count)))
      })
  }

  private static func take(_ input: [UInt8]) -> CInt {
    do { try target?.run(input) } catch { fatalError("\(error)") }
    return 0
  }
}
