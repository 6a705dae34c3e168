import CSystemd

enum BusConnection {
  /// Whether that can be called now. Who hangs takes a connection and says nothing. Blocks.
  static func isReady(_ bus: OpaquePointer, within limit: Duration) -> Bool {
    let deadline = ContinuousClock.now + limit
    while unsafe sd_bus_is_ready(bus) == 0 {
      let progress = unsafe sd_bus_process(bus, nil)
      // It may be ready by that; and a manager, unlike a bus, says nothing more.
      if progress > 0 { continue }
      let left = ContinuousClock.now.duration(to: deadline)
      guard progress == 0, left > .zero, unsafe sd_bus_wait(bus, UInt64(left / .microseconds(1))) >= 0
      else { return false }
    }
    return unsafe sd_bus_is_ready(bus) > 0
  }
}
