import Foundation
import KeyrackProtocol
import Testing

@testable import KeyrackSystem

@Suite(.timeLimit(.minutes(1))) struct HTTPClientTests {
  private func client(total: Duration = .seconds(10), connect: Duration = .seconds(5)) throws -> HTTPClient {
    try HTTPClient(limits: .init(connect: connect, total: total))
  }

  private func post(_ url: String, _ body: String = "a=b", fresh: Bool = true) throws -> HTTPRequest {
    HTTPRequest(
      endpoint: try Endpoint(validating: url), body: Secret(body), contentType: "text/plain",
      freshConnection: fresh)
  }

  @Test func aPostArrivesAsItWasGiven() async throws {
    let server = ScriptedServer(answers: [answer(200, "{}", headers: ["Content-Type: application/json"])])
    var request = try post(server.url + "/token", "p@ss+w0rd&x")
    request.authorization = .bearer(Secret("abc.def"))
    let response = try await client().send(request).get()
    #expect(response.status == 200)
    #expect(response.body == Array("{}".utf8))
    #expect(response.contentType == "application/json")
    let received = try #require(server.requests.first)
    #expect(received.line == "POST /token HTTP/1.1")
    #expect(received.body == "p@ss+w0rd&x")
    #expect(received.headers["content-type"] == "text/plain")
    #expect(received.headers["accept"] == "application/json")
    #expect(received.headers["user-agent"] == "keyrack/\(Keyrack.version)")
    #expect(received.headers["authorization"] == "Bearer abc.def")
    #expect(received.headers["expect"] == nil)
    #expect(received.headers["cookie"] == nil)
  }

  @Test func aLargePostDoesNotWaitForPermission() async throws {
    let server = ScriptedServer(answers: [answer(200)])
    let body = String(repeating: "x", count: 2 << 20)
    #expect(try await client().send(post(server.url, body)).get().status == 200)
    #expect(server.requests.first?.headers["expect"] == nil)
    #expect(server.requests.first?.body.utf8.count == body.utf8.count)
  }

  @Test func aPostWithoutABodyIsOne() async throws {
    let server = ScriptedServer(answers: [answer(204)])
    let request = HTTPRequest(endpoint: try Endpoint(validating: server.url), freshConnection: false)
    let response = try await client().send(request).get()
    #expect(response == HTTPResponse(status: 204))
    #expect(server.requests.first?.headers["content-type"] == nil)
    #expect(server.requests.first?.headers["content-length"] == "0")
  }

  @Test func aGetHasNoBody() async throws {
    let server = ScriptedServer(answers: [answer(200, "{}")])
    let request = HTTPRequest(
      .get, endpoint: try Endpoint(validating: server.url + "/keys?a=b"), authorization: .basic(Secret("YTpi")),
      freshConnection: false)
    #expect(try await client().send(request).get().status == 200)
    let received = try #require(server.requests.first)
    #expect(received.line == "GET /keys?a=b HTTP/1.1")
    #expect(received.headers["content-length"] == nil)
    #expect(received.headers["authorization"] == "Basic YTpi")
  }

  @Test func aDeleteMayHaveABody() async throws {
    let server = ScriptedServer(answers: [answer(204)])
    let request = HTTPRequest(
      .delete, endpoint: try Endpoint(validating: server.url), body: Secret("{}"),
      contentType: "application/json", freshConnection: false)
    #expect(try await client().send(request).get().status == 204)
    #expect(server.requests.first?.line == "DELETE / HTTP/1.1")
    #expect(server.requests.first?.body == "{}")
  }

  @Test func localhostIsLoopbackWithoutAResolver() async throws {
    let server = ScriptedServer(answers: [answer(200)])
    #expect(try await client().send(post("http://localhost:\(server.port)/")).get().status == 200)
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func aRedirectIsNotFollowed(status: Int) async throws {
    let other = ScriptedServer(answers: [answer(200)])
    let server = ScriptedServer(answers: [answer(status, headers: ["Location: \(other.url)/elsewhere"])])
    let response = try await client().send(post(server.url)).get()
    #expect(response.status == status)
    #expect(response.redirect == "127.0.0.1:\(other.port)")
    #expect(other.connections == 0)
  }

  @Test func chunksAreJoined() async throws {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    let server = ScriptedServer(answers: [head + "3\r\n{\"a\r\n3\r\n\":1\r\n1\r\n}\r\n0\r\n\r\n"])
    #expect(try await client().send(post(server.url)).get().body == Array("{\"a\":1}".utf8))
  }

  @Test(arguments: [true, false])
  func anEndlessBodyEndsAtTheLimit(isChunked: Bool) async throws {
    let server = ScriptedServer { peer in
      _ = peer.readRequest()
      let length = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: 104857600"
      peer.send("HTTP/1.1 200 OK\r\n\(length)\r\n\r\n")
      let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 65536)
      let chunk = isChunked ? Array("10000\r\n".utf8) + piece + Array("\r\n".utf8) : piece
      while peer.send(chunk) {}
    }
    let result = try await client().send(post(server.url))
    #expect(result == .failure(.unknown("127.0.0.1:\(server.port) sent an answer of more than 1048576 bytes")))
  }

  @Test func theLimitIsForTheDecodedBody() async throws {
    let bomb = try shell("head -c 20000000 /dev/zero | gzip -9")
    let small = try shell("printf '{}' | gzip")
    let server = ScriptedServer { peer in
      while let request = peer.readRequest() {
        let body = request.line.contains("bomb") ? bomb : small
        peer.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n")
        peer.send(body)
      }
    }
    let client = try client()
    #expect(try await client.send(post(server.url + "/small")).get().body == Array("{}".utf8))
    let result = try await client.send(post(server.url + "/bomb"))
    #expect(result == .failure(.unknown("127.0.0.1:\(server.port) sent an answer of more than 1048576 bytes")))
  }

  @Test(arguments: ["X-Flood: \(String(repeating: "y", count: 1000))\r\n", "\r\nHTTP/1.1 100 Continue\r\n"])
  func aFloodOfHeadersEndsAtTheLimit(line: String) async throws {
    let server = ScriptedServer { peer in
      _ = peer.readRequest()
      peer.send("HTTP/1.1 100 Continue\r\n")
      while peer.send(Array(line.utf8)) {}
    }
    guard case .failure(.unknown) = try await client().send(post(server.url)) else {
      Issue.record("the flood was taken")
      return
    }
  }

  @Test func aDripEndsAtTheDeadline() async throws {
    let server = ScriptedServer { peer in
      _ = peer.readRequest()
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
      repeat { peer.send("x") } while !peer.waitForHangUp(milliseconds: 20)
    }
    let result = try await client(total: .milliseconds(300)).send(post(server.url))
    #expect(result == .failure(.unknown("127.0.0.1:\(server.port) did not answer in time")))
  }

  @Test(arguments: [
    "", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{", "nonsense\r\n\r\n",
  ])
  func aBrokenAnswerLeavesTheOutcomeUnknown(text: String) async throws {
    let server = ScriptedServer { peer in
      _ = peer.readRequest()
      peer.send(text)
    }
    guard case .failure(.unknown) = try await client().send(post(server.url)) else {
      Issue.record("taken for an answer, or for not sent")
      return
    }
    #expect(server.requests.count == 1)
  }

  @Test func aRefusedConnectionSendsNothing() async throws {
    var server: ScriptedServer? = ScriptedServer(answers: [])
    let port = try #require(server?.port)
    server = nil
    // The listener is closed by its thread, soon.
    var result: Result<HTTPResponse, HTTPFailure>
    repeat { result = try await client().send(post("http://127.0.0.1:\(port)/")) } while result.isUnknown
    #expect(result == .failure(.notSent("could not connect to 127.0.0.1:\(port): Connection refused")))
  }

  @Test func aNameThatDoesNotResolveSendsNothing() async throws {
    let result = try await client(connect: .seconds(2)).send(post("https://keyrack.invalid/"))
    guard case .failure(.notSent(let message)) = result else {
      Issue.record("it resolves")
      return
    }
    #expect(message.contains("keyrack.invalid"))
  }

  @Test func aHandshakeThatNeverEndsSendsNothing() async throws {
    let server = ScriptedServer { peer in while !peer.waitForHangUp() {} }
    let url = "https://127.0.0.1:\(server.port)/"
    let result = try await client(connect: .milliseconds(200)).send(post(url))
    #expect(result == .failure(.notSent("could not connect to 127.0.0.1:\(server.port) in time")))
  }

  @Test func aHeaderOfTwoLinesIsNotSent() async throws {
    let server = ScriptedServer(answers: [answer(200)])
    var request = try post(server.url)
    request.authorization = .bearer(Secret("a\r\nX-Evil: 1"))
    #expect(try await client().send(request) == .failure(.notSent("could not prepare a request")))
    #expect(server.connections == 0)
  }

  @Test func aRequestThatSpendsIsNotSentAgainOnAnotherConnection() async throws {
    let server = ScriptedServer { peer in
      guard let request = peer.readRequest(), request.body == "first" else { return }
      peer.send(answer(200))
      // Dies just when the next request comes.
      _ = peer.readRequest()
    }
    let client = try client()
    #expect(try await client.send(post(server.url, "first", fresh: false)).get().status == 200)
    guard case .failure(.unknown) = try await client.send(post(server.url, "spends")) else {
      Issue.record("answered")
      return
    }
    #expect(server.requests.filter { $0.body == "spends" }.count == 1)
    #expect(server.connections == 2)
    // The same on the kept connection: there libcurl does send it again.
    _ = try await client.send(post(server.url, "again", fresh: false))
    #expect(server.requests.filter { $0.body == "again" }.count == 2)
  }
}

extension HTTPClient {
  func send(_ request: HTTPRequest) async -> Result<HTTPResponse, HTTPFailure> { await send(request, reading: { $0 }) }
}

extension Result<HTTPResponse, HTTPFailure> {
  var isUnknown: Bool {
    if case .failure(.unknown) = self { true } else { false }
  }
}

/// What a shell command prints.
func shell(_ command: String) throws -> [UInt8] {
  let process = Process()
  process.executableURL = URL(filePath: "/bin/sh")
  process.arguments = ["-ec", command]
  let output = Pipe()
  process.standardOutput = output
  process.standardError = FileHandle.nullDevice
  try process.run()
  let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  try #require(process.terminationStatus == 0, "\(command)")
  return Array(bytes)
}
