import CSystemd
import Glibc
import KeyrackCore

/// `org.freedesktop.Notifications` on the session bus (Desktop Notifications Specification 1.2). Its calls block, for ten
/// seconds at most.
@safe final class NotificationService {
  static let patience = Duration.seconds(10)
  private static let name = "org.freedesktop.Notifications"

  /// What a process has shown. Another one that takes its place counts anew.
  struct Shown: Sendable {
    let number: UInt32
    let owner: String?
  }

  struct Failure: Error {
    let message: String
    init(_ message: String) { self.message = message }
  }

  // The pointer never changes.
  private let bus: OpaquePointer

  init() throws(Failure) {
    var opened: OpaquePointer?
    guard unsafe sd_bus_open_user(&opened) >= 0, let bus = unsafe opened else {
      throw Failure("there is no session bus")
    }
    unsafe self.bus = bus
    guard unsafe BusConnection.isReady(bus, within: Self.patience) else { throw Failure("there is no session bus") }
  }

  deinit { unsafe sd_bus_close_unref(bus) }

  func show(_ notice: Notice, replacing old: Shown?) throws(Failure) -> Shown {
    let call = try message("Notify")
    call.add("Keyrack")
    call.add(old.flatMap { isThere($0) ? $0.number : nil } ?? 0)
    call.add("dialog-password")
    call.add(notice.title)
    call.add(Self.escaped(notice.body))
    call.addContainer("a", of: "s") {}
    call.addContainer("a", of: "{sv}") {
      call.addContainer("e", of: "sv") {
        call.add("urgency")
        call.addContainer("v", of: "y") { call.add(UInt8(1)) }
      }
    }
    // For as long as the desktop likes.
    call.add(Int32(-1))
    let reply = try send(call)
    return Shown(number: reply.number() ?? 0, owner: reply.sender)
  }

  func close(_ shown: Shown) throws(Failure) {
    guard isThere(shown) else { return }
    let call = try message("CloseNotification")
    call.add(shown.number)
    _ = try send(call)
  }

  private func isThere(_ shown: Shown) -> Bool {
    let bus = "org.freedesktop.DBus"
    guard let call = try? message("GetNameOwner", of: bus, at: "/org/freedesktop/DBus") else { return false }
    call.add(Self.name)
    return (try? send(call).text()) == shown.owner
  }

  private func message(
    _ member: String, of name: String = name, at path: String = "/org/freedesktop/Notifications"
  ) throws(Failure) -> BusMessage {
    guard let message = unsafe BusMessage(calling: member, of: name, at: path, on: name, bus) else {
      throw Failure("out of memory")
    }
    return message
  }

  private func send(_ call: BusMessage) throws(Failure) -> BusMessage {
    do throws(BusMessage.Failure) { return try unsafe call.send(by: bus, within: Self.patience) } catch {
      switch error.code {
      case EHOSTUNREACH, ENXIO, ENOENT: throw Failure("no service for them is on the session bus")
      case ETIMEDOUT: throw Failure("their service has not answered within \(Self.patience)")
      default: throw Failure(SystemError.text(of: error.code))
      }
    }
  }

  /// A service may take the body for markup.
  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
