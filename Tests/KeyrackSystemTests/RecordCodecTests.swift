import KeyrackCore
import KeyrackProtocol
import KeyrackSystem
import Testing

@Suite struct RecordCodecTests {
  private let codec = RecordCodec()

  @Test func aRecordSurvives() throws {
    let record = SessionRecord.example()
    #expect(try codec.decode(SessionRecord.self, from: codec.encode(record)) == record)
    #expect(try codec.decode(Revocation.self, from: codec.encode(Revocation.owed())) == .owed())
  }

  @Test func anEndByTheClockOfThisBootSurvives() throws {
    var record = SessionRecord.example()
    record.expiresAtBoot = BootTime(boot: "b", seconds: 3600)
    #expect(try codec.decode(SessionRecord.self, from: codec.encode(record)) == record)
    #expect(record.isPlausible)
    record.expiresAtBoot = BootTime(boot: "b", seconds: .min)
    #expect(!record.isPlausible)
  }

  @Test func aDescriptionOfItShowsNoSecret() throws {
    let secret = codec.encode(SessionRecord.example(token: "hidden"))
    #expect(!"\(secret)\(SessionRecord.example(token: "hidden"))".contains("hidden"))
  }

  @Test func aPartOfARecordIsTorn() throws {
    let bytes = codec.encode(SessionRecord.example()).bytes
    for length in 0..<bytes.count {
      #expect(throws: RecordCodec.Unusable.torn) {
        try codec.decode(SessionRecord.self, from: Secret(Array(bytes[..<length])))
      }
    }
  }

  @Test func noChangedByteIsTakenForARecord() throws {
    let bytes = codec.encode(SessionRecord.example()).bytes
    for position in bytes.indices {
      for bit in [UInt8(1), 0x20, 0x80] {
        var changed = bytes
        changed[position] ^= bit
        #expect(throws: RecordCodec.Unusable.self, "byte \(position), bit \(bit)") {
          try codec.decode(SessionRecord.self, from: Secret(changed))
        }
      }
    }
  }

  @Test func aRecordIsNotTakenForARevocation() throws {
    let secret = codec.encode(SessionRecord.example())
    #expect(throws: RecordCodec.Unusable.torn) { try codec.decode(Revocation.self, from: secret) }
  }

  @Test(arguments: [
    "[1]", "null", "\u{FEFF}{}", #"{"version":0,"checksum":"","payload":""}"#, #"{"version":1.5}"#, #"{"version":"2"}"#,
    String(repeating: "{\"a\":", count: 100_000),
  ])
  func whatKeyrackDidNotWriteIsTorn(text: String) {
    #expect(throws: RecordCodec.Unusable.torn) { try codec.decode(SessionRecord.self, from: Secret(text)) }
  }

  @Test func aNewerVersionIsToldFromATornOne() {
    #expect(throws: RecordCodec.Unusable.newer(version: 2)) {
      try codec.decode(SessionRecord.self, from: Secret(#"{"version":2,"anything":{"else":[]}}"#))
    }
  }
}
