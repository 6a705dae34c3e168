import Foundation
import KeyrackCore
import KeyrackProtocol
import KeyrackSystem
import TestSupport
import Testing

/// Prompts and lost answers, with a script in the place of the helper.
@Suite(.timeLimit(.minutes(1))) struct KeyringPromptTests {
  private let folder: TemporaryFolder
  private let keyring: Keyring

  init() throws {
    folder = try TemporaryFolder()
    var deadlines = KeyringDeadlines()
    deadlines.call = .milliseconds(2500)
    deadlines.backgroundPrompt = .milliseconds(300)
    deadlines.interactivePrompt = .seconds(1)
    keyring = try Keyring(
      helper: "/bin/bash", log: CollectedLog(), environment: ["BASH_ENV": folder.path + "/helper", "DIR": folder.path],
      deadlines: deadlines)
  }

  /// Calls are kept in `calls`. The socket is standard input, both ways. A shell reads the script before its input, so
  /// that it need not be executable: to run a file just written fails where another test starts a program meanwhile.
  private func helper(_ body: String) throws {
    let script = """
      answer() { echo '{"outcome":"'$1'","items":[]}' >&0; }
      hang() { exec sleep 100; }
      while read -r call; do
      echo "$call" >> $DIR/calls
      \(body)
      done
      exit
      """
    try script.write(toFile: folder.path + "/helper", atomically: true, encoding: .utf8)
  }

  private var calls: [KeyringCall] {
    get throws {
      try String(contentsOfFile: folder.path + "/calls", encoding: .utf8).split(separator: "\n").map {
        try JSONDecoder().decode(KeyringCall.self, from: Data($0.utf8))
      }
    }
  }

  @Test func aPromptThatNobodyAskedForIsShownOnceForALock() async throws {
    try helper("case $call in *'\"unlock\":true'*) answer prompting; hang;; *) answer locked;; esac")
    let start = ContinuousClock.now
    await #expect(throws: StoreError.locked) { try await keyring.all() }
    #expect(ContinuousClock.now - start < .milliseconds(2500))
    await #expect(throws: StoreError.locked) { try await keyring.all() }
    await #expect(throws: StoreError.locked) { try await keyring.prepare(.interactive) }
    await #expect(throws: StoreError.locked) { try await keyring.all() }
    #expect(try calls.map(\.unlock) == [true, false, true, false])
    #expect(try calls.map(\.create) == [false, false, true, false])
  }

  @Test func aReadThatMustNotPromptLeavesTheKeyringLocked() async throws {
    try helper("answer locked")
    await #expect(throws: StoreError.locked) { try await keyring.record(of: "work", .never) }
    #expect(try calls.map(\.unlock) == [false])
  }

  @Test func aKeyringThatWasSeenUnlockedMayPromptAgain() async throws {
    // The first and the third call find it locked.
    try helper("case $(wc -l < $DIR/calls) in 2) answer done;; *) answer prompting; answer locked;; esac")
    await #expect(throws: StoreError.locked) { try await keyring.all() }
    _ = try await keyring.all()
    await #expect(throws: StoreError.locked) { try await keyring.all() }
    #expect(try calls.map(\.unlock) == [true, false, true])
  }

  @Test func aPersonInASignInHasMoreTime() async throws {
    try helper("answer prompting; sleep 0.5; answer unlocked; answer done")
    try await keyring.prepare(.interactive)
    await #expect(throws: StoreError.locked) { try await keyring.prepare(.background) }
  }

  @Test func whatFollowsAnUnlockHasTheTimeOfACall() async throws {
    try helper("answer prompting; answer unlocked; sleep 0.6; answer done")
    try await keyring.prepare(.background)
  }

  @Test func aStoreWhoseAnswerWasLostIsReadBack() async throws {
    try helper(
      """
      case $call in
        *'"call":"store"'*) echo "$call" > $DIR/stored; hang;;
        *) [ -e $DIR/stored ] || { answer done; continue; }
          # The item is in the call, whose members follow those of an item in the same order.
          echo '{"outcome":"done","items":[{'$(sed 's/.*\\("attributes":.*\\),"label.*\\("secret":.*\\),"unlock.*/\\1,\\2/' $DIR/stored)'}]}' >&0;;
      esac
      """)
    try await keyring.save(.example())
    #expect(try calls.map(\.call) == [.find, .store, .find])
    #expect(try await keyring.record(of: "work") == .example())
  }

  @Test func aStoreThatIsNotThereAfterALostAnswerHasFailed() async throws {
    try helper("case $call in *'\"call\":\"store\"'*) hang;; *) answer done;; esac")
    await #expect(throws: StoreError.failed("the keyring did not answer within 2.5 s")) {
      try await keyring.save(.example())
    }
  }

  @Test(arguments: [
    "echo nonsense >&0", "echo '{\"outcome\":\"other\",\"items\":[]}' >&0", "exit 75", "kill -9 $$",
    "exec <&-; sleep 9",
  ])
  func aHelperThatMakesNoSenseIsEndedAndReported(body: String) async throws {
    try helper(body)
    await #expect { try await keyring.all() } throws: {
      if case StoreError.failed(let message) = $0 { message.contains("ended unexpectedly") } else { false }
    }
    #expect(try calls.count == 2)
  }

  @Test func callsAreMadeOneAtATimeAndInOrder() async throws {
    try helper("sleep 0.01; answer done")
    let keyring = keyring
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<10 {
        group.addTask { try await keyring.removeRecord(of: "a\(number)") }
      }
      try await group.waitForAll()
    }
    let accounts = try calls.map { $0.attributes["account"] ?? "" }
    #expect(Set(accounts).count == 10)
    #expect(accounts.count == 10)
  }
}
