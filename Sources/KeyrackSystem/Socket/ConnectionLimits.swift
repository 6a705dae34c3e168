/// What a client may ask of the daemon, PROTOCOL.md and the table of hostile clients.
package struct ConnectionLimits: Sendable {
  package var connections = 4096
  package var connectionsOfAProcess = 1024
  /// Requests of one connection that wait for their reply. Above it no further line is read.
  package var requestsUnderWay = 16
  /// Lines of one connection that are handed out before the others have their turn: a client that asks now and then waits
  /// for that of one that never stops.
  package var linesOfATurn = 2
  /// The same where there are no others. It saves an answer in flight among many a fifth of its time.
  package var linesAlone = 8
  /// Bytes of replies that one client has not taken. Above it no further line is read, and an event ends the connection.
  package var pendingOutput = 256 * 1024
  /// From the first byte of a line to its end.
  package var line = Duration.seconds(10)
  /// Without a request under way.
  package var idle = Duration.seconds(300)
  /// Without one, when the daemon stops.
  package var firstRequest = Duration.milliseconds(200)
  /// Without a byte of the output taken.
  package var write = Duration.seconds(30)
  /// How much later than that a connection may be closed.
  package var tolerance = Duration.seconds(1)
  /// How long who was told an error may stay: who sends without end would be back at once.
  package var cutOff = Duration.milliseconds(100)
  /// How long accepting rests where descriptors or memory have run out.
  package var acceptPause = Duration.seconds(1)

  package init() {}
}
