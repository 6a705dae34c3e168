import CSystemd
import Glibc
import KeyrackSystem
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ServiceManagerTests {
  @Test func tellsSystemdOneDatagramAnEvent() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/notify"
    let receiver = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(receiver) }
    #expect(withSocketAddress(path) { Glibc.bind(receiver, $0, $1) } == 0)
    setenv("NOTIFY_SOCKET", path, 1)
    defer { unsetenv("NOTIFY_SOCKET") }
    ServiceManager.ready("2 accounts\nREADY=0")
    ServiceManager.reloading()
    ServiceManager.stopping()
    #expect(datagram(receiver) == "READY=1\nSTATUS=2 accounts\\u{A}READY=0")
    #expect(datagram(receiver).hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
    #expect(datagram(receiver) == "STOPPING=1")
  }

  private func datagram(_ descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
