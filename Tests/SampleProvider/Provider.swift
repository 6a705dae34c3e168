/// Everything that the provider knows. A request takes its effect in one step with its entry in the log, so that who
/// has waited for the entry sees the effect.
struct Provider {
  private let initialSettings: Settings
  var settings: Settings
  var ledger = TokenLedger()
  var authorizations = AuthorizationLedger()
  /// By their device code.
  var devices: [String: DeviceRequest] = [:]
  private var scripts: [String: [Script]] = [:]
  /// Nil while it is always fair.
  private var weather: Weather?
  private(set) var log: [LogEntry] = []
  /// Path by number of the requests whose answer waits for a release.
  private(set) var held: [Int: String] = [:]
  private var lastNumber = 0

  /// What the connection does with a request that was received.
  struct Handling {
    let number: Int
    let response: HTTPResponse
    let isHeld: Bool
    /// Milliseconds.
    let delay: Int
    let drop: Script.Drop?
  }

  init(settings: Settings) {
    initialSettings = settings
    self.settings = settings
  }

  mutating func receive(_ request: HTTPRequest) -> Handling {
    lastNumber += 1
    var script = nextScript(for: request.path)
    let fault = script == nil && request.isRefresh ? weather?.fault(at: .now) : nil
    script = script ?? fault?.script
    var processed =
      script?.processes == false ? Processed(.scripted, HTTPResponse(status: 200)) : process(request)
    script?.apply(to: &processed.response)
    if script?.isHeld == true { held[lastNumber] = request.path }
    log.append(
      LogEntry(
        number: lastNumber, request: request, outcome: processed.outcome, user: processed.user,
        family: processed.family, accessToken: processed.accessToken,
        status: script?.drop == nil ? processed.response.status : nil, fault: fault))
    return Handling(
      number: lastNumber, response: processed.response, isHeld: script?.isHeld ?? false, delay: script?.delay ?? 0,
      drop: script?.drop)
  }

  mutating func markAnswered(_ number: Int) {
    guard let index = log.lastIndex(where: { $0.number == number }) else { return }
    log[index].isAnswered = true
  }

  mutating func add(_ script: Script) { scripts[script.path, default: []].append(script) }

  /// Has refreshes at `/token` fail at random, or with no seed none any more. Sign-ins work in all weathers, so that a
  /// test can make up for what was lost.
  mutating func setWeather(seed: UInt64?) { weather = seed.map { Weather(seed: $0, now: .now) } }

  /// Lets the held answers of a path go, or all of them.
  mutating func release(path: String?) {
    held = path.map { path in held.filter { $0.value != path } } ?? [:]
  }

  /// Forgets everything but the number of the last request.
  mutating func reset() {
    let number = lastNumber
    self = Provider(settings: initialSettings)
    lastNumber = number
  }

  private mutating func nextScript(for path: String) -> Script? {
    guard let script = scripts[path]?.first else { return nil }
    if script.count > 1 {
      scripts[path]?[0].count -= 1
    } else {
      scripts[path]?.removeFirst()
    }
    return script
  }

  private mutating func process(_ request: HTTPRequest) -> Processed {
    guard let endpoint = Endpoint(rawValue: request.path) else {
      return Processed(.malformed, HTTPResponse(status: 404))
    }
    guard request.method == endpoint.method else {
      return Processed(.malformed, HTTPResponse(status: 405, headers: ["Allow": endpoint.method]))
    }
    switch endpoint {
    case .token: return answerToken(request)
    case .revoke: return answerRevoke(request)
    case .login: return answerLogin(request)
    case .refresh: return answerRefresh(request)
    case .logout: return answerLogout(request)
    case .api: return answerAPI(request)
    case .authorize: return answerAuthorize(request)
    case .push: return answerPush(request)
    case .deviceAuthorization: return answerDeviceAuthorization(request)
    case .metadata: return answerMetadata(request)
    case .register: return answerRegister(request)
    case .userinfo: return answerUserinfo(request)
    }
  }
}
