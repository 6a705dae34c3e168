import Foundation
import Glibc
import TestSupport

/// The memory of another process, as one who may trace it sees it.
struct ProcessMemory {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let pid: Int32

  /// Where each of the texts is found: the kind of mapping and what surrounds it. Nil where the memory cannot be read,
  /// which is how an ordinary user finds it.
  func places(of texts: [String]) throws -> [String]? {
    let memory = open("/proc/\(pid)/mem", O_RDONLY | O_CLOEXEC)
    guard memory >= 0 else {
      if (errno == EACCES || errno == EPERM) && geteuid() != 0 { return nil }
      throw Failure(description: "could not open the memory of process \(pid): error \(errno)")
    }
    defer { close(memory) }
    let program = try String(contentsOfFile: "/proc/\(pid)/comm", encoding: .utf8).dropLast()
    return try mappings().flatMap { mapping in
      search(mapping.range, "\(program), \(mapping.kind)", memory, texts.map { Array($0.utf8) })
    }
  }

  /// What can be read. The kind is a file's name, or `locked` where it is never swapped out nor in a core dump.
  private func mappings() throws -> [(range: Substring, kind: String)] {
    // Which Data(contentsOf:) takes for ended after the first page.
    let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/\(pid)/smaps"))
    let smaps = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    var mappings: [(range: Substring, kind: String)] = []
    var isReadable = false
    for line in smaps.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      if words[0] == "VmFlags:" {
        let flags = Set(line.split(separator: " "))
        if isReadable, flags.isSuperset(of: ["lo", "dd"]) { mappings[mappings.count - 1].kind = "locked" }
      } else if words[0].contains("-") {
        isReadable = words[1].hasPrefix("r") && !line.hasSuffix("[vvar]")
        if isReadable { mappings.append((words[0], words.count > 5 ? String(words[5]) : "anonymous")) }
      }
    }
    return mappings
  }

  private func search(_ range: Substring, _ name: String, _ memory: Int32, _ texts: [[UInt8]]) -> [String] {
    let ends = range.split(separator: "-").compactMap { UInt(String($0), radix: 16) }
    guard ends.count == 2 else { return [] }
    let overlap = texts.map(\.count).max() ?? 0
    var chunk = [UInt8](repeating: 0, count: 4 << 20)
    var found: [String] = []
    var start = ends[0]
    while start < ends[1] {
      let wanted = min(chunk.count, Int(ends[1] - start))
      // Beyond what an offset can say there is only the kernel's own.
      guard let offset = off_t(exactly: start) else { break }
      let count = chunk.withUnsafeMutableBytes { pread(memory, $0.baseAddress, wanted, offset) }
      if count <= 0 { break }
      for text in texts { found += Self.places(of: text, in: chunk[..<count], name, start) }
      start += UInt(count < wanted || count <= overlap ? count : count - overlap)
      if start + UInt(overlap) >= ends[1] { break }
    }
    return found
  }

  private static func places(
    of text: [UInt8], in bytes: ArraySlice<UInt8>, _ name: String, _ start: UInt
  ) -> [String] {
    bytes.withUnsafeBytes { bytes in
      guard let first = bytes.baseAddress else { return [] }
      var places: [String] = []
      var position = 0
      while let hit = memmem(first + position, bytes.count - position, text, text.count) {
        let index = first.distance(to: UnsafeRawPointer(hit))
        let around = bytes[max(0, index - 48)..<min(bytes.count, index + text.count + 16)]
        let shown = around.map { (0x20..<0x7F).contains($0) ? String(UnicodeScalar($0)) : "." }.joined()
        places.append("\(name) at \(String(start + UInt(index), radix: 16)): \(shown)")
        position = index + text.count
      }
      return places
    }
  }

  /// The processes that this one started.
  static func children(of parent: Int32) throws -> [Int32] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.filter { pid in
      let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
      return status.contains("\nPPid:\t\(parent)\n")
    }
  }
}

extension KeyrackDaemon {
  /// `keyrackd` and `keyrack-keyring`.
  func processes() async throws -> [Int32] {
    let daemon = pid
    return [daemon] + (try ProcessMemory.children(of: daemon))
  }

  /// Where the texts are in the memory of both.
  func memoryPlaces(of texts: [String]) async throws -> [String] {
    try await processes().flatMap { try ProcessMemory(pid: $0).places(of: texts) ?? [] }
  }

  /// Waits until none of the texts is in the memory of either.
  func memoryForgets(_ texts: [String]) async throws {
    var places: [String] = []
    do {
      try await eventually("the memory to forget") {
        places = try await memoryPlaces(of: texts)
        return places.isEmpty
      }
    } catch { throw ProcessMemory.Failure(description: "\(error); it has \(places.joined(separator: "\n"))") }
  }
}
