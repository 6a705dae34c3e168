import Foundation
import Glibc
import KeyrackCore
import KeyrackProtocol
import KeyrackSystem
import Testing

/// Connections that behave badly, and sockets that come and go.
@Suite(.timeLimit(.minutes(2)), .serialized)
struct LoopbackListenerLifeTests {
  private static let good = "/callback?code=c&state=s"

  @Test func aSlowHeadIsEndedThoughItNeverPauses() async throws {
    var limits = CallbackLimits()
    limits.connection = .seconds(1)
    let fixture = try await CallbackFixture(limits: limits)
    let port = try await fixture.open()
    let start = ContinuousClock.now
    try await onThread {
      let client = try BrowserConnection(port)
      do { while start.duration(to: .now) < .seconds(15) { try client.send("G"); usleep(50_000) } } catch {}
      _ = client.rest()
    }
    #expect(start.duration(to: .now) < .seconds(10))
    #expect(fixture.received.isEmpty)
  }

  @Test func aClientThatHasShutDownItsWritingSideGetsItsPage() async throws {
    let fixture = try await CallbackFixture()
    let port = try await fixture.open()
    let answer = try await onThread {
      let client = try BrowserConnection(port)
      try client.send("GET \(Self.good) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
      client.shutDownWriting()
      return client.rest()
    }
    #expect(answer.hasPrefix("HTTP/1.1 200 "))
  }

  @Test func aBrowserThatGoesAwayDoesNotEndTheDecision() async throws {
    let gate = Gate()
    let fixture = try await CallbackFixture { _ in
      await gate.wait()
      return .signedIn
    }
    let port = try await fixture.open()
    try await onThread {
      try BrowserConnection(port).send("GET \(Self.good) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
    }
    while !gate.isAwaited { try await fixture.thread.sleep(.milliseconds(5)) }
    gate.open()
    #expect(try await fixture.get(port, Self.good).hasPrefix("HTTP/1.1 200 "))
    #expect(fixture.received.count == 2)
  }

  @Test func aReceiverThatTakesTooLongSendsTheBrowserToTheTerminal() async throws {
    var limits = CallbackLimits()
    limits.decision = .milliseconds(100)
    let gate = Gate()
    let fixture = try await CallbackFixture(limits: limits) { _ in
      await gate.wait()
      return .signedIn
    }
    let port = try await fixture.open()
    #expect(try await fixture.get(port, Self.good).contains("Go back to the terminal"))
    gate.open()
    #expect(try await fixture.get(port, Self.good).contains("close this window"))
  }

  @Test func whoWaitsWhenTheSocketClosesStillGetsThePage() async throws {
    let gate = Gate()
    let fixture = try await CallbackFixture { _ in
      await gate.wait()
      return .signedIn
    }
    let port = try await fixture.open()
    let text = "http://127.0.0.1:\(port)/callback"
    // From now on by its number.
    await fixture.listener.close(text)
    #expect(try await fixture.open(text) == port)
    async let answer = fixture.get(port, Self.good)
    while !gate.isAwaited { try await fixture.thread.sleep(.milliseconds(5)) }
    await fixture.listener.close(text)
    #expect(throws: SystemError("connect", code: ECONNREFUSED)) { try BrowserConnection(port) }
    // The port can be had again while the last answer is under way, and after it.
    #expect(try await fixture.listener.open(RedirectURI(text)) == text)
    gate.open()
    #expect(try await answer.contains("close this window"))
    await fixture.listener.close(text)
    #expect(try await fixture.listener.open(RedirectURI(text)) == text)
  }

  @Test func aSecondDeliveryIsToldSo() async throws {
    let fixture = try await CallbackFixture { response in response.state == "used" ? .alreadyUsed : .signedIn }
    let port = try await fixture.open()
    #expect(try await fixture.get(port, "/callback?code=c&state=s").hasPrefix("HTTP/1.1 200 "))
    #expect(try await fixture.get(port, "/callback?code=c&state=used").hasPrefix("HTTP/1.1 400 "))
  }

  @Test func aHundredConnectionsAtOnceAreAllAnswered() async throws {
    let fixture = try await CallbackFixture()
    let port = try await fixture.open()
    let good = try await onThread {
      let clients = try (0..<100).map { _ in try BrowserConnection(port) }
      for client in clients { try client.send("GET \(Self.good) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n") }
      return clients.count { $0.rest().hasPrefix("HTTP/1.1 200 ") }
    }
    #expect(good == 100)
  }

  @Test func twoRedirectsOnOnePortEndOneByOne() async throws {
    let fixture = try await CallbackFixture()
    let port = try await fixture.open("http://127.0.0.1:{port}/a")
    _ = try await fixture.open("http://127.0.0.1:\(port)/b")
    _ = try await fixture.open("http://127.0.0.1:\(port)/b")
    await fixture.listener.close("http://127.0.0.1:\(port)/a")
    await fixture.listener.close("http://127.0.0.1:\(port)/b")
    #expect(try await fixture.get(port, "/a?code=c&state=s").hasPrefix("HTTP/1.1 404 "))
    #expect(try await fixture.get(port, "/b?code=c&state=s").hasPrefix("HTTP/1.1 200 "))
    #expect(fixture.redirectURIs == ["http://127.0.0.1:\(port)/b"])
    await fixture.listener.close("http://127.0.0.1:\(port)/b")
    #expect(throws: SystemError("connect", code: ECONNREFUSED)) { try BrowserConnection(port) }
  }

  @Test func portsAreTriedInTheirOrder() async throws {
    let (fixture, other) = (try await CallbackFixture(), try await CallbackFixture())
    let taken = try await other.open()
    let free = try await other.open()
    await other.listener.close("http://127.0.0.1:\(free)/callback")
    #expect(try await fixture.open(ports: [taken, free]) == free)
    let third = try await CallbackFixture()
    let error = await #expect(throws: RedirectError.self) { try await third.open(ports: [taken, free]) }
    #expect(error?.message == "could not listen on ports \(taken), \(free) of 127.0.0.1: address in use")
    let message = await #expect(throws: RedirectError.self) { try await third.open("http://127.0.0.1:\(taken)/x") }?
      .message
    #expect(message == "could not listen on port \(taken) of 127.0.0.1: address in use")
  }

  @Test func localhostIsBothFamilies() async throws {
    let fixture = try await CallbackFixture()
    let port = try await fixture.open("http://localhost:{port}/")
    for ipv6 in [false, true] {
      let answer = try await onThread {
        let client = try BrowserConnection(port, ipv6: ipv6)
        try client.send("GET /?code=c&state=s HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
        return client.rest()
      }
      #expect(answer.hasPrefix("HTTP/1.1 200 "))
    }
    await fixture.listener.close("http://localhost:\(port)/")
    #expect(throws: SystemError("connect", code: ECONNREFUSED)) { try BrowserConnection(port, ipv6: true) }
  }

  @Test func localhostNeedsBothFamilies() async throws {
    let (fixture, other) = (try await CallbackFixture(), try await CallbackFixture())
    let taken = try await other.open("http://[::1]:{port}/")
    await #expect(throws: RedirectError.self) { try await fixture.open("http://localhost:\(taken)/") }
    #expect(throws: SystemError("connect", code: ECONNREFUSED)) { try BrowserConnection(taken) }
  }

  @Test func descriptorsAreGivenBack() async throws {
    let fixture = try await CallbackFixture()
    for _ in 0..<5 { try await round(fixture) }
    let before = try loopbackDescriptors()
    for _ in 0..<200 { try await round(fixture) }
    #expect(try loopbackDescriptors() <= before + 3)
  }

  private func round(_ fixture: CallbackFixture) async throws {
    let port = try await fixture.open("http://localhost:{port}/callback")
    _ = try await fixture.exchange(port, "GET \(Self.good) HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
    await fixture.listener.close("http://localhost:\(port)/callback")
  }

  private func loopbackDescriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
  }

  @Test func nobodyListensForHTTPS() async throws {
    let fixture = try await CallbackFixture()
    await #expect(throws: RedirectError.self) { try await fixture.listener.open(RedirectURI("https://127.0.0.1/x")) }
  }
}
