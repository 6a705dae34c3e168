import FoundationEssentials

/// The sample identity provider, running as a process of its own for as long as this handle lives.
///
/// Its calls wait on threads of their own, so that a test may have many of them under way. Times are those of the
/// provider: a request is in the log, with its effect, once ``waitForRequests(_:count:after:timeout:)`` returned it,
/// while its answer may be on its way yet.
package final class SampleProvider: Sendable {
  package let port: UInt16
  private let process: SampleProviderProcess

  /// Starts it on a free port. Options are those of `sample-provider`, such as `--access-lifetime 0.5`.
  package init(_ options: String...) throws {
    process = try SampleProviderProcess(options)
    port = try JSONDecoder().decode(Ready.self, from: Data(process.readyLine.utf8)).port
  }

  private struct Ready: Decodable { let port: UInt16 }

  /// Such as `http://127.0.0.1:8080/token`.
  package func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  /// Ends the provider: connections are refused from now on.
  package func stop() { process.stop() }

  // MARK: Steering

  /// Says what the next requests to a path are answered; scripts of a path queue up. A status, headers or a body are
  /// answered instead of processing the request, or after it.
  package func script(
    _ path: String, count: Int = 1, status: Int? = nil, headers: [String: String]? = nil, body: String? = nil,
    delay: Duration = .zero, hold: Bool = false, drop: Drop? = nil, afterProcessing: Bool = false
  ) async throws {
    let script = Script(
      path: path, count: count, status: status, headers: headers, body: body, delay: delay.milliseconds, hold: hold,
      drop: drop, afterProcessing: afterProcessing)
    try await post("/control/script", script)
  }

  /// Lets the held answers of a path go.
  package func release(_ path: String) async throws { try await post("/control/release", ["path": path]) }

  package func set(_ settings: Settings) async throws { try await post("/control/settings", settings) }

  /// Has refreshes at `/token` fail at random, in spells, until there is no seed any more. Sign-ins work all the time.
  package func setWeather(seed: UInt64?) async throws { try await post("/control/weather", ["seed": seed]) }

  /// Refuses connections from now on, for so long.
  package func refuseConnections(for length: Duration) async throws {
    try await post("/control/outage", ["milliseconds": length.milliseconds])
  }

  /// What the person says of all devices that wait.
  package func decideDevices(_ decision: DeviceDecision) async throws {
    try await post("/control/device", ["decision": decision])
  }

  /// Forgets requests, tokens, scripts and settings.
  package func reset() async throws { try await post("/control/reset", [String: String]()) }

  // MARK: Looking

  /// The requests so far, those under `/control/` left out.
  package func log(after number: Int = 0) async throws -> [LoggedRequest] {
    try await decode([LoggedRequest].self, loopback("GET", "/control/log?after=\(number)"))
  }

  /// Waits until so many requests to a path were received, and gives them. Throws if they do not come in time.
  @discardableResult package func waitForRequests(
    _ path: String, count: Int = 1, after number: Int = 0, timeout: Duration = .seconds(5)
  ) async throws -> [LoggedRequest] {
    let query = "path=\(path)&count=\(count)&after=\(number)&timeout_ms=\(timeout.milliseconds)"
    return try await decode([LoggedRequest].self, loopback("GET", "/control/wait?" + query))
  }

  /// The tokens that are alive.
  package func tokens() async throws -> [LiveToken] {
    try await decode([LiveToken].self, loopback("GET", "/control/tokens"))
  }

  /// How long an access token has been dead: nil while it is alive. Throws where it was never given.
  package func deadTime(ofAccessToken token: String) async throws -> Duration? {
    let fate = try await decode(TokenFate.self, postJSON("/control/token", ["token": token]))
    return fate.deadFor.map { .milliseconds($0) }
  }

  // MARK: Calling it as a client would

  package func postForm(_ path: String, _ form: [String: String]) async throws -> LoopbackHTTP.Answer {
    try await loopback(
      "POST", path, ["Content-Type": "application/x-www-form-urlencoded"],
      form.map { "\($0)=\(LoopbackHTTP.escape($1))" }.joined(separator: "&"))
  }

  package func postJSON(
    _ path: String, _ body: some Encodable & Sendable, bearer: String? = nil
  ) async throws -> LoopbackHTTP.Answer {
    var headers = ["Content-Type": "application/json"]
    if let bearer { headers["Authorization"] = "Bearer \(bearer)" }
    return try await loopback("POST", path, headers, String(decoding: JSONEncoder().encode(body), as: UTF8.self))
  }

  /// Whether the resource takes the access token.
  package func accepts(accessToken: String) async throws -> Bool {
    try await loopback("GET", "/api", ["Authorization": "Bearer \(accessToken)"]).status == 200
  }

  private func post(_ path: String, _ body: some Encodable & Sendable) async throws {
    _ = try await succeeded(postJSON(path, body))
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ answer: LoopbackHTTP.Answer) throws -> Value {
    try JSONDecoder().decode(type, from: Data(succeeded(answer).body.utf8))
  }

  private func succeeded(_ answer: LoopbackHTTP.Answer) throws -> LoopbackHTTP.Answer {
    guard (200..<300).contains(answer.status) else { throw LoopbackHTTP.Failure("\(answer)") }
    return answer
  }

  private func loopback(
    _ method: String, _ path: String, _ headers: [String: String] = [:], _ body: String = ""
  ) async throws -> LoopbackHTTP.Answer {
    try await LoopbackHTTP.send(method, path, port: port, headers: headers, body: body)
  }
}
