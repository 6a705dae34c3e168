import KeyrackProtocol

/// A program of the person's that the daemon has a use for. Where there is a user manager it is a transient unit of that,
/// and inherits nothing of the daemon's sandbox; else it is a child of the daemon. It ends with whoever waits for it, and
/// with the daemon.
struct Hook: Sendable {
  /// Part of the unit's name.
  let name: String
  /// The program, as a path or found in PATH, and its arguments. Other users can see them.
  let words: [String]
  /// In its environment besides what is there. Other programs of this user can see them.
  var variables: [String: String] = [:]
  /// A line, with its line feed, that it finds on its standard input; nil: nothing.
  var input: [UInt8]?
  /// Whether what it prints is of use.
  let keepsOutput: Bool
  let limit: Duration

  /// The message stands after the name of the program.
  struct Failure: Error, Equatable {
    let message: String
    init(_ message: String) { self.message = message }
  }

  struct Outcome: Sendable {
    let output: [UInt8]
    /// As a shell would say: 128 and the signal where it was killed, 126 or 127 where it could not be run.
    let status: Int32
  }

  /// Runs it to its end, which comes early where the task is canceled. On a thread of its own: however long it takes, it
  /// delays nobody else.
  func run(in environment: HookEnvironment) async throws(Failure) -> Outcome {
    let cancellation: HookCancellation
    do throws(SystemError) { cancellation = try HookCancellation() } catch { throw Failure(error.message) }
    let run = HookRun(hook: self, environment: environment, cancellation: cancellation)
    let result = await withTaskCancellationHandler {
      await Thread.run("hook") { Result { () throws(Failure) in try run.outcome() } }
    } onCancel: {
      cancellation.cancel()
    }
    switch result {
    case .success(let outcome): return try outcome.get()
    case .failure(let error): throw Failure("could not run: \(error.message)")
    }
  }
}
