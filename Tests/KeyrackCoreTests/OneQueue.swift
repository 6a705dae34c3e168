import Glibc
import KeyrackCore
import Testing

/// Has everything in a test run on ``QueueExecutor/shared``, also what would go to the threads that all tasks share. Only
/// so ``QueueExecutor/settle()`` can know that nothing is left to do.
struct OneQueue: TestTrait, SuiteTrait, TestScoping {
  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    // What the runtime provides for this purpose (include/swift/Runtime/Concurrency.h in the sources of Swift).
    guard let symbol = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook") else {
      throw MissingHook()
    }
    let hook = symbol.assumingMemoryBound(to: Hook?.self)
    hook.pointee = { job, _ in QueueExecutor.shared.enqueue(job) }
    defer { hook.pointee = nil }
    try await function()
  }

  private struct MissingHook: Error {}
}
