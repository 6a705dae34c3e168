import CSystemd
import Glibc

extension EventLoop {
  /// An event source and what it calls. Its owner gives it back by ``EventLoop/remove(_:closing:)``.
  // Pointers that are used on the loop's thread only, and sent there to be released.
  @safe
  struct Source: @unchecked Sendable {
    let pointer: OpaquePointer
    private let callback: UnsafeMutableRawPointer

    /// `add` is a call of the form `sd_event_add_…`, which gets the pointer that ``call(_:_:)`` takes.
    init<Argument>(
      _ what: String, calling handler: @escaping (Argument) -> Void,
      add: (inout OpaquePointer?, UnsafeMutableRawPointer) -> Int32
    ) throws(SystemError) {
      let callback = unsafe Unmanaged.passRetained(Callback(handler))
      var pointer: OpaquePointer?
      let result = unsafe add(&pointer, callback.toOpaque())
      guard result >= 0, let pointer = unsafe pointer else {
        unsafe callback.release()
        throw SystemError(what, code: -result)
      }
      unsafe self.pointer = pointer
      unsafe self.callback = callback.toOpaque()
    }

    /// For the C function that an event source calls; `Argument` is that of the handler.
    static func call<Argument>(_ callback: UnsafeMutableRawPointer?, _ argument: Argument) -> Int32 {
      if let callback = unsafe callback {
        unsafe Unmanaged<Callback<Argument>>.fromOpaque(callback).takeUnretainedValue().handler(argument)
      }
      // An error would switch the source off.
      return 0
    }

    fileprivate func end() {
      unsafe sd_event_source_disable_unref(pointer)
      unsafe Unmanaged<AnyObject>.fromOpaque(callback).release()
    }
  }

  /// Ends a source; from any thread. The only place where a watched descriptor is closed: after its source is gone,
  /// for its number is given to the next client.
  func remove(_ source: Source, closing descriptor: Int32? = nil) {
    perform {
      source.end()
      if let descriptor { close(descriptor) }
    }
  }
}

/// Kept by its source, so that it outlives an owner that is released on another thread while an event is on its way.
private final class Callback<Argument> {
  let handler: (Argument) -> Void

  init(_ handler: @escaping (Argument) -> Void) { self.handler = handler }
}
