import KeyrackCore
import KeyrackProtocol
import Testing

@Suite struct NoticeBoardTests {
  private static let start = ContinuousClock.now
  private static let day = Duration.seconds(86_400)
  private static let revoked = Notice.loginRequired(account: "work", .revoked)
  private static let locked = Notice.keyring(isLocked: true)

  /// A board, and the time at it.
  private struct Wall {
    var board = NoticeBoard()
    var now = start

    mutating func happens(
      _ kind: SessionEvent.Kind, _ account: String? = "work", _ reason: String? = nil,
      keyring: KeyringStatus.State = .ok, isExpiring: Bool = false
    ) -> [NoticeBoard.Action] {
      board.happened(
        SessionEvent(kind, account: account, at: 1, reason: reason), keyring: keyring, isExpiring: isExpiring, at: now)
    }

    mutating func reminders(_ count: Int) -> [NoticeBoard.Action] {
      var actions: [NoticeBoard.Action] = []
      for _ in 0..<count {
        guard let next = board.nextReminder else { break }
        now = next
        actions += board.reminded(at: now)
      }
      return actions
    }
  }

  // MARK: Accounts

  @Test func aSignInThatIsNeededIsShownOnceAndClosedByIt() {
    var wall = Wall()
    #expect(wall.happens(.loginRequired, "work", "revoked") == [.show(Self.revoked)])
    #expect(wall.happens(.loginRequired, "work", "revoked") == [])
    #expect(wall.happens(.login) == [.close(.account("work"))])
    #expect(wall.happens(.login) == [])
    #expect(wall.board.nextReminder == nil)
  }

  @Test(arguments: [SessionEvent.Kind.recovered, .login, .logout, .refreshFailed])
  func whateverEndsTheNeedClosesIt(_ kind: SessionEvent.Kind) {
    var wall = Wall()
    _ = wall.happens(.loginRequired, "work", "revoked")
    #expect(wall.happens(kind, "work", "degraded") == [.close(.account("work"))])
  }

  @Test func anotherReasonTakesItsPlace() {
    var wall = Wall()
    _ = wall.happens(.expiring)
    #expect(wall.happens(.loginRequired, "work", "expired") == [.show(.loginRequired(account: "work", .expired))])
    #expect(wall.happens(.loginRequired, "work", "unheard") == [.show(.loginRequired(account: "work", nil))])
    #expect(wall.happens(.refreshed) == [])
  }

  @Test func whatSoonEndsIsClosedOnceItDoesNot() {
    var wall = Wall()
    #expect(wall.happens(.expiring, isExpiring: true) == [.show(.expiring(account: "work"))])
    #expect(wall.happens(.refreshed, isExpiring: true) == [])
    #expect(wall.happens(.refreshFailed, "work", "throttled", isExpiring: true) == [])
    #expect(wall.happens(.recovered, isExpiring: true) == [])
    #expect(wall.happens(.refreshed) == [.close(.account("work"))])
  }

  @Test(arguments: ["throttled", "degraded", "unknown_outcome"]) func whatPassesByItselfIsNotShown(_ reason: String) {
    var wall = Wall()
    #expect(wall.happens(.refreshFailed, "work", reason, keyring: .locked) == [])
    #expect(wall.happens(.config, nil) == [])
    #expect(wall.happens(.keyring, nil, "locked", keyring: .locked) == [])
  }

  // MARK: The keyring

  @Test func aKeyringThatIsNeededIsShownOnceForAll() {
    var wall = Wall()
    #expect(wall.happens(.refreshFailed, "work", "keyring_locked", keyring: .locked) == [.show(Self.locked)])
    #expect(wall.happens(.refreshFailed, "other", "unsaved", keyring: .locked) == [])
    #expect(wall.board.needed(by: "third", keyring: .locked, at: wall.now) == [])
    #expect(
      wall.happens(.keyring, nil, "unavailable", keyring: .unavailable) == [.show(.keyring(isLocked: false))])
    #expect(wall.happens(.keyring, nil, "ok") == [.close(.keyring)])
    #expect(wall.happens(.recovered) == [])
  }

  @Test func itIsClosedOnceNobodyNeedsIt() {
    var wall = Wall()
    _ = wall.happens(.refreshFailed, "work", "keyring_locked", keyring: .locked)
    _ = wall.happens(.refreshFailed, "other", "keyring_locked", keyring: .locked)
    #expect(wall.happens(.logout, keyring: .locked) == [])
    #expect(wall.happens(.recovered, "other", keyring: .locked) == [.close(.keyring)])
  }

  // MARK: Reminders

  @Test func remindersComeAtTheirIntervalAndEnd() {
    var wall = Wall()
    _ = wall.happens(.loginRequired, "work", "revoked")
    #expect(wall.board.nextReminder == Self.start + Self.day)
    #expect(wall.board.reminded(at: Self.start + Self.day - .seconds(1)) == [])
    #expect(wall.reminders(10) == [.show(Self.revoked), .show(Self.revoked), .show(Self.revoked)])
    #expect(wall.now == Self.start + Self.day * 3)
    #expect(wall.happens(.login) == [.close(.account("work"))])
    _ = wall.happens(.loginRequired, "work", "revoked")
    #expect(wall.reminders(10).count == NoticeBoard.maximumReminders)
  }

  @Test func withoutAnIntervalThereAreNone() {
    var wall = Wall(board: NoticeBoard(NoticeSettings(interval: nil)))
    #expect(wall.happens(.loginRequired, "work", "revoked") == [.show(Self.revoked)])
    #expect(wall.board.nextReminder == nil)
  }

  // MARK: Settings

  @Test func whatIsTurnedOffIsClosedAndComesBack() {
    var wall = Wall()
    _ = wall.happens(.loginRequired, "work", "revoked")
    #expect(wall.board.configured(NoticeSettings(), at: wall.now) == [])
    let off = NoticeSettings(isShown: false)
    #expect(wall.board.configured(off, at: wall.now) == [.close(.account("work"))])
    #expect(wall.board.nextReminder == nil)
    #expect(wall.happens(.loginRequired, "other", "expired") == [])
    #expect(
      wall.board.configured(NoticeSettings(interval: .seconds(5)), at: wall.now) == [
        .show(.loginRequired(account: "other", .expired)), .show(Self.revoked),
      ])
    #expect(wall.board.nextReminder == wall.now + .seconds(5))
  }

  // MARK: Words

  @Test func theTextSaysWhyAndWhatToDo() {
    #expect(Self.revoked.title == "Sign in to work again")
    #expect(
      Self.revoked.body
        == "The provider no longer accepts the refresh token. In a terminal: keyrack login work")
    for notice in [Self.revoked, .loginRequired(account: "work", nil), .expiring(account: "work")] {
      #expect(notice.body.hasSuffix(" In a terminal: keyrack login work"))
    }
  }
}
