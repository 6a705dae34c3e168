import KeyrackProtocol
import KeyrackSystem
import Testing

@Suite struct LockedMemoryTests {
  @Test func whatDoesNotFitIsKeptElsewhere() throws {
    // Once in a process.
    let memory = try #require(LockedMemory(), "the tests may not lock 4 MiB of memory")
    var blocks: [UnsafeMutableRawBufferPointer] = []
    while blocks.count < 100, let start = memory.allocate(64 << 10) {
      blocks.append(UnsafeMutableRawBufferPointer(start: start, count: 64 << 10))
    }
    #expect((60...64).contains(blocks.count))
    Secret.keep(in: memory)
    for count in [0, 1, 64 << 10, 5 << 20] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
      #expect(Secret(bytes).bytes == bytes)
    }
    blocks.forEach(memory.release)
    let again = try #require(memory.allocate(1 << 20))
    let block = UnsafeMutableRawBufferPointer(start: again, count: 1 << 20)
    #expect(!block.contains { $0 != 0 })
    memory.release(block)
  }
}
