import Foundation
import KeyrackProtocol
import Testing

@testable import KeyrackSystem

/// Requests that are given up, and the end of the client.
@Suite(.timeLimit(.minutes(1))) struct HTTPClientEndTests {
  private func client(total: Duration = .seconds(10), connect: Duration = .seconds(5)) throws -> HTTPClient {
    try HTTPClient(limits: .init(connect: connect, total: total))
  }

  private func post(_ url: String, _ body: String = "a=b", fresh: Bool = true) throws -> HTTPRequest {
    HTTPRequest(
      endpoint: try Endpoint(validating: url), body: Secret(body), contentType: "text/plain",
      freshConnection: fresh)
  }

  @Test func aCanceledRequestEndsAtOnce() async throws {
    let (arrived, arrival) = AsyncStream<Void>.makeStream()
    let server = ScriptedServer { peer in
      _ = peer.readRequest()
      arrival.yield()
      peer.waitForHangUp()
      arrival.yield()
    }
    let client = try client()
    let request = try post(server.url)
    let task = Task { await client.send(request) }
    var arrivals = arrived.makeAsyncIterator()
    await arrivals.next()
    let start = ContinuousClock.now
    task.cancel()
    #expect(await task.value.isUnknown)
    await arrivals.next()
    #expect(ContinuousClock.now - start < .seconds(10))
  }

  @Test func aRequestOfACanceledTaskIsNotSent() async throws {
    let server = ScriptedServer(answers: [answer(200)])
    let client = try client()
    let request = try post(server.url)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await client.send(request)
    }
    guard case .failure(.notSent) = await task.value else {
      Issue.record("sent")
      return
    }
    #expect(server.requests.isEmpty)
  }

  @Test func aStuckServerDelaysNoOther() async throws {
    let stuck = ScriptedServer { peer in peer.waitForHangUp() }
    let server = ScriptedServer(answers: [answer(200)])
    let client = try client()
    let request = try post(stuck.url)
    let task = Task { await client.send(request) }
    let start = ContinuousClock.now
    try await withThrowingTaskGroup { group in
      for _ in 0..<50 { group.addTask { try await client.send(post(server.url)).get().status } }
      for try await status in group { #expect(status == 200) }
    }
    #expect(ContinuousClock.now - start < .seconds(15))
    client.stop()
    #expect(
      try await task.value
        == .failure(.unknown("the request to \(Endpoint(validating: stuck.url).name) was ended: shutting down")))
  }

  @Test func nothingIsSentAfterTheStop() async throws {
    let server = ScriptedServer(answers: [answer(200)])
    let client = try client()
    client.stop()
    client.stop()
    #expect(try await client.send(post(server.url)) == .failure(.notSent("shutting down")))
    #expect(server.connections == 0)
  }
}
