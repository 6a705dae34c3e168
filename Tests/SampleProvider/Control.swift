import FoundationEssentials

/// The paths under `/control/`: how a test steers the provider and sees what it was asked. Not logged.
struct Control {
  let provider: Monitor<Provider>
  let listener: Listener

  private struct Release: Decodable {
    let path: String?
  }

  private struct Forecast: Decodable {
    let seed: UInt64?
  }

  private struct Outage: Decodable {
    let milliseconds: UInt32
  }

  private struct Decision: Decodable {
    let decision: DeviceRequest.Decision
  }

  private struct Question: Decodable {
    let token: String
  }

  func answer(_ request: HTTPRequest) -> HTTPResponse {
    do {
      return try route(request)
    } catch {
      return HTTPResponse(status: 400, json: ["error": "\(error)"])
    }
  }

  private func route(_ request: HTTPRequest) throws -> HTTPResponse {
    let query = FormFields.decode(request.query) ?? [:]
    switch (request.method, request.path) {
    case ("POST", "/control/script"):
      let script = try decode(Script.self, request)
      provider.update { $0.add(script) }
    case ("POST", "/control/release"):
      let path = try request.body.isEmpty ? nil : decode(Release.self, request).path
      provider.update { $0.release(path: path) }
    case ("POST", "/control/settings"):
      let change = try decode(Settings.Change.self, request)
      provider.update { $0.settings.apply(change) }
    case ("POST", "/control/weather"):
      let seed = try decode(Forecast.self, request).seed
      provider.update { $0.setWeather(seed: seed) }
    case ("POST", "/control/outage"):
      let length = try decode(Outage.self, request).milliseconds
      try listener.refuse(milliseconds: length)
    case ("POST", "/control/device"):
      let decision = try decode(Decision.self, request).decision
      provider.update { $0.decideDevices(decision) }
    case ("POST", "/control/token"): return try fate(of: decode(Question.self, request).token)
    case ("POST", "/control/reset"): provider.update { $0.reset() }
    case ("GET", "/control/log"): return HTTPResponse(json: log(after: query["after"].flatMap(Int.init) ?? 0))
    case ("GET", "/control/tokens"): return HTTPResponse(json: provider.update { $0.ledger.alive })
    case ("GET", "/control/wait"): return wait(query)
    default: return HTTPResponse(status: 404)
    }
    return HTTPResponse(status: 204)
  }

  /// 404 for what was never an access token.
  private func fate(of token: String) -> HTTPResponse {
    guard let fate = provider.update({ $0.ledger.fate(ofAccessToken: token) }) else { return HTTPResponse(status: 404) }
    return HTTPResponse(json: fate)
  }

  private func log(after number: Int) -> [LogEntry] {
    provider.update { $0.log.filter { $0.number > number } }
  }

  /// 200 once so many requests to the path are in the log, 504 if the time runs out first.
  private func wait(_ query: [String: String]) -> HTTPResponse {
    let count = query["count"].flatMap(Int.init) ?? 1
    let limit = query["timeout_ms"].flatMap(Int.init) ?? 5000
    let after = query["after"].flatMap(Int.init) ?? 0
    let isMet = provider.wait(atMost: limit) { provider in
      provider.log.count { $0.number > after && $0.request.path == query["path"] } >= count
    }
    return HTTPResponse(status: isMet ? 200 : 504, json: log(after: after).filter { $0.request.path == query["path"] })
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ request: HTTPRequest) throws -> Value {
    try JSONDecoder().decode(type, from: Data(request.body))
  }
}
