import Glibc
import KeyrackCore
import KeyrackProtocol

/// One client. Lines go to the responder, replies come back in any order.
///
/// On the loop's thread only. It lives until it is closed and its last reply has come.
final class Connection {
  let peer: PeerProcess
  /// When it is to be closed if nothing happens before; nil while it waits for the daemon itself.
  var deadline: ContinuousClock.Instant? { clock.deadline(limits, isIdle: underWay == 0 && output.isEmpty) }

  private let limits: ConnectionLimits
  private let responder: any LineResponder
  private let input: ReadBuffer
  private let sweep: DeadlineSweep
  private let turn: TurnLength
  private let identify: (Connection) -> Caller?
  private let onClose: (Connection) -> Void
  /// Nil until it has asked for something and is found out.
  private var caller: Caller?
  /// The one that it asked first, until then.
  private var firstLine: [UInt8]?
  private var descriptor: EventLoop.Descriptor?
  /// Armed once it has been told an error, and nothing else is left to tell.
  private var dismissal: EventLoop.Timer?
  private var send: AnswerSink?

  private var lines = LineBuffer()
  private var output = OutputBuffer()
  private var clock = ConnectionClock()
  private var ending = Ending.none
  private var underWay = 0
  /// Whether `lines` may hold a whole one that was not handed out.
  private var hasLines = false
  private var isWorking = false
  private var hasAsked = false
  private var endsAfterFirstRequest = false

  /// Why no more is read.
  private enum Ending {
    case none
    /// The client has shut down its writing side: what it sent counts, the last line without a line feed too.
    case endOfInput
    /// The daemon stops: whole lines count.
    case draining
    /// It was told an error. What else it sends is thrown away.
    case cutOff
    /// Who connected has ended, and another process has the connection.
    case inherited
  }

  /// `identify` finds out who asks, when the first line is whole: those that send none cost no more than to be accepted.
  /// Where it takes longer it returns nil, and ``identified(as:)`` is to be called then, or ``cutOff(_:)``.
  init(
    peer: PeerProcess, limits: ConnectionLimits, responder: any LineResponder, input: ReadBuffer, sweep: DeadlineSweep,
    turn: TurnLength, identify: @escaping (Connection) -> Caller?, onClose: @escaping (Connection) -> Void
  ) {
    self.peer = peer
    self.identify = identify
    self.limits = limits
    self.responder = responder
    self.input = input
    self.sweep = sweep
    self.turn = turn
    self.onClose = onClose
  }

  /// Takes over `number`, a connected socket.
  func open(_ number: Int32, on loop: EventLoop) throws(SystemError) {
    descriptor = try EventLoop.Descriptor(loop, owning: number, interest: .readable) { [unowned self] in handle($0) }
    // One sink for all requests: a reply need not say which it answers.
    let this = LoopBound(self, on: loop)
    send = AnswerSink { this.value.take($0) }
    dismissal = EventLoop.Timer(loop) { [unowned self] in dismiss() }
    settle()
  }

  var isClosed: Bool { descriptor == nil }

  /// -1 once it is closed.
  var number: Int32 { descriptor?.number ?? -1 }

  func identified(as caller: Caller) {
    if isClosed { return }
    self.caller = caller
    work()
  }

  /// Says `error` and hands out no more. Closes after that, and after the replies to what was asked before.
  func cutOff(_ error: [UInt8]) {
    hasLines = false
    firstLine = nil
    ending = .cutOff
    output.append(error)
    work()
  }

  /// Reads no more than what has come; closes when all that was asked is answered. `allowsFirstRequest`: who has not
  /// asked yet may do so.
  func drain(allowsFirstRequest: Bool = false) {
    if allowsFirstRequest, !hasAsked {
      endsAfterFirstRequest = true
      return
    }
    if ending == .none, let descriptor, descriptor.interest.contains(.readable) { receive(from: descriptor.number) }
    if ending == .none { ending = .draining }
    work()
  }

  func close() {
    guard let descriptor else { return }
    descriptor.close()
    self.descriptor = nil
    dismissal = nil
    // It refers to this object.
    send = nil
    onClose(self)
  }
}

extension Connection {
  private var mayTakeMore: Bool {
    (firstLine == nil || caller != nil) && underWay < limits.requestsUnderWay && output.count <= limits.pendingOutput
  }

  private var mayHandOut: Bool { hasLines && mayTakeMore }

  /// Whether somebody else may have the connection by now than who opened it.
  private var isInherited: Bool { caller.map { $0 !== Caller.unknown } ?? false && !peer.isAlive }

  private func handle(_ events: EventLoop.Events) {
    guard let descriptor else { return }
    if ending == .cutOff, descriptor.interest.contains(.readable) {
      // A piece in a turn, for there may be much of it.
      if events.contains(.hangUp) || !input.discardPiece(of: descriptor.number) { close() }
    } else if events.contains(.readable), descriptor.interest.contains(.readable) {
      receive(from: descriptor.number)
      work()
    } else if !mayHandOut, !events.isDisjoint(with: [.hangUp, .error]) {
      // Nobody reads the replies. What was handed out goes on; what waits for others is dropped.
      close()
    } else {
      work()
    }
  }

  private func receive(from number: Int32) {
    switch unsafe input.receive(from: number, { unsafe lines.append($0) }) {
    case .bytes:
      hasLines = true
      clock.touch()
    case .endOfInput:
      hasLines = true
      ending = .endOfInput
    case .nothingYet: break
    case .failed: close()
    }
  }

  /// Whether there still is a client.
  private func take(_ line: AnswerLine?) -> Bool {
    switch line {
    case .reply, .end: underWay -= 1
    case .event: break
    case nil: return !isClosed
    }
    if isClosed { return false }
    // What was asked for before is for nobody else.
    if !isWorking, isInherited { close() } else { append(line) }
    return !isClosed
  }

  private func append(_ line: AnswerLine?) {
    switch line {
    case .event(let bytes):
      // These go on where nobody reads them.
      if output.count > limits.pendingOutput { return close() }
      output.append(bytes)
    case .reply(let bytes): output.append(bytes)
    case .end, nil: break
    }
    if isWorking { return }
    clock.touch()
    work()
  }

  /// One turn: whole lines are handed out, and what they were answered at once is sent in one piece.
  private func work() {
    guard !isWorking else { return }
    isWorking = true
    defer { isWorking = false }
    handOutLines()
    guard flush() else { return close() }
    settle()
  }

  private func handOutLines() {
    var left = turn.lines
    var asking: Caller?
    while left > 0, mayHandOut {
      left -= 1
      switch nextLine() {
      case .line(let line):
        clock.lineEnded()
        asking = asking ?? whoAsks()
        guard let asking else { firstLine = ending == .cutOff ? nil : line; return }
        handOut(line, from: asking)
      case .incomplete: hasLines = false
      case .tooLong: cutOff(ErrorLine.tooLong)
      }
    }
    if !lines.isInsideLine { hasLines = false }
  }

  private func nextLine() -> LineBuffer.Next {
    guard let line = firstLine else { return lines.next(atEnd: ending == .endOfInput) }
    firstLine = nil
    return .line(line)
  }

  /// Nil where that is being found out, or cannot be.
  private func whoAsks() -> Caller? {
    if caller == nil, let found = identify(self) { caller = found }
    guard isInherited else { return caller }
    ending = .inherited
    return .unknown
  }

  private func handOut(_ line: [UInt8], from caller: Caller) {
    guard let send else { return }
    underWay += 1
    hasAsked = true
    if endsAfterFirstRequest, ending == .none { ending = .draining }
    responder.respond(to: line, from: caller, send: send)
  }

  /// False where there is no client any more.
  private func flush() -> Bool {
    guard let descriptor, !output.isEmpty else { return descriptor != nil }
    switch output.send(to: descriptor.number) {
    case .done: clock.outputTaken()
    case .blocked(let progress): clock.outputBlocked(progress: progress)
    case .failed: return false
    }
    return true
  }

  /// Decides what to wait for.
  private func settle() {
    guard let descriptor else { return }
    let isAtEnd = ending != .none && !hasLines && underWay == 0 && output.isEmpty
    if isAtEnd { return ending == .cutOff ? dismissLater() : close() }
    let isReading = ending == .none && mayTakeMore && !hasLines
    var interest: EventLoop.Events = isReading ? .readable : []
    if !output.isEmpty { interest.insert(.writable) }
    // Lines are left for the next turn. Armed anew it comes after whoever is ready by now, and not before.
    if mayHandOut { interest.formUnion([.writable, .edge]) }
    descriptor.interest = interest
    clock.lineUnderWay(isReading && lines.isInsideLine)
    if let deadline { sweep.note(deadline) }
  }

  private func dismissLater() {
    descriptor?.interest = []
    do { try dismissal?.set(.now + limits.cutOff) } catch { dismiss() }
  }

  /// What it has sent has to be read: otherwise closing is a reset for it, and not an end.
  private func dismiss() {
    guard let descriptor else { return }
    shutdown(descriptor.number, Int32(SHUT_RD))
    descriptor.interest = .readable
  }
}
