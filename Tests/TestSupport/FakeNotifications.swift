import Synchronization

/// A notification service of the desktop, which keeps what it is told and numbers what it shows from 1.
package final class FakeNotifications: Sendable {
  package enum Call: Sendable, Equatable {
    case notify(replaces: UInt32, title: String, body: String)
    case close(UInt32)
  }

  private let bus: Bus
  private let state = Mutex(State())

  private struct State {
    var calls: [Call] = []
    var last: UInt32 = 0
  }

  /// Takes the name on the bus of a session. One that `hangs` never answers.
  package init(in session: PrivateSession, hangs: Bool = false) throws {
    bus = try Bus(address: "unix:path=\(session.path)/run/bus")
    bus.serve { [weak self] call in
      let answer = self?.answer(call) ?? .nothing
      return hangs ? .nothing : answer
    }
    try bus.call(
      "RequestName", of: "org.freedesktop.DBus", at: "/", on: "org.freedesktop.DBus",
      "('org.freedesktop.Notifications', uint32 0)")
  }

  deinit { bus.close() }

  package func leave() { bus.close() }

  package var calls: [Call] { state.withLock { $0.calls } }

  private func answer(_ call: Bus.Call) -> Bus.Answer {
    state.withLock { state in
      guard call.member == "Notify" else {
        state.calls.append(.close(call.arguments[0].number))
        return .reply("()")
      }
      let replaces = call.arguments[1].number
      state.calls.append(
        .notify(replaces: replaces, title: call.arguments[3].text, body: call.arguments[4].text))
      if replaces == 0 { state.last += 1 }
      return .reply("(uint32 \(replaces == 0 ? state.last : replaces),)")
    }
  }
}
