import Foundation
import TestSupport
import Testing

/// By `make soak` only: it takes minutes.
private let isSoak = ProcessInfo.processInfo.environment["KEYRACK_SOAK_SECONDS"] != nil

@Suite(.enabled(if: isSoak, "make soak runs it"), .realServers, .timeLimit(.minutes(20))) struct RealServerSoakTests {
  @Test func sessionsOutliveAHundredExpiriesAndTwoRestartsInThree() async throws {
    let fixture = try await RealServerFixture(.glewlwyd, .django, .djangoWithGrace)
    try await fixture.signIn()
    for round in 0..<100 { try await fixture.outliveExpiry(round) }
    try await fixture.expectLogout()
  }
}
