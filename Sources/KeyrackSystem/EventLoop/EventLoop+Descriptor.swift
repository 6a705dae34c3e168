import CSystemd
import Glibc

extension EventLoop {
  /// Watches a descriptor, which it owns.
  ///
  /// To be used on the loop's thread only. Released on another one, it may still call its handler that moment.
  package final class Descriptor {
    /// Valid until ``close()``.
    package let number: Int32

    private let loop: EventLoop
    private var source: Source?

    /// What is waited for. A hang-up and an error are reported always, until ``close()``.
    package var interest: Events {
      didSet {
        // To arm an edge again is an event.
        guard interest != oldValue || interest.contains(.edge), let source else { return }
        loop.checkIsolated()
        unsafe sd_event_source_set_io_events(source.pointer, interest.rawValue)
      }
    }

    /// Closes the descriptor where it throws, too.
    package init(
      _ loop: EventLoop, owning number: Int32, interest: Events, handler: @escaping (Events) -> Void
    ) throws(SystemError) {
      self.number = number
      self.loop = loop
      self.interest = interest
      loop.checkIsolated()
      do throws(SystemError) { source = try Self.watch(number, interest, on: loop, handler) } catch {
        Glibc.close(number)
        throw error
      }
    }

    deinit { if let source { loop.remove(source, closing: number) } }

    package var isClosed: Bool { source == nil }

    /// Its handler is not called any more.
    package func close() {
      loop.checkIsolated()
      if let source { loop.remove(source, closing: number) }
      source = nil
    }

    private static func watch(
      _ number: Int32, _ interest: Events, on loop: EventLoop, _ handler: @escaping (Events) -> Void
    ) throws(SystemError) -> Source {
      unsafe try Source("watch descriptor \(number)", calling: handler) { pointer, callback in
        unsafe sd_event_add_io(
          loop.event, &pointer, number, interest.rawValue,
          { _, _, events, callback in unsafe Source.call(callback, Events(rawValue: events)) }, callback)
      }
    }
  }

  /// The events of epoll.
  package struct Events: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let readable = Events(rawValue: EPOLLIN.rawValue)
    package static let writable = Events(rawValue: EPOLLOUT.rawValue)
    /// Reported once, until the interest is set again.
    package static let edge = Events(rawValue: EPOLLET.rawValue)
    /// The peer has shut down its writing side, or more.
    package static let endOfInput = Events(rawValue: EPOLLRDHUP.rawValue)
    /// Both directions are at their end.
    package static let hangUp = Events(rawValue: EPOLLHUP.rawValue)
    package static let error = Events(rawValue: EPOLLERR.rawValue)
  }
}
