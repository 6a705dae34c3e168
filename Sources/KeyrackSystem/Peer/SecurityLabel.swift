import CSystemd
import Glibc

/// What the security module of the kernel says of whoever connected, as bytes.
package struct SecurityLabel {
  private let bytes: [UInt8]

  /// Nil where there is no such module.
  init?(ofPeerOf descriptor: Int32) {
    var size = socklen_t(512)
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, count in
      let result = unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERSEC, buffer.baseAddress, &size)
      count = result == 0 ? min(Int(size), 512) : 0
    }
    guard !bytes.isEmpty else { return nil }
    self.bytes = bytes
  }

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Of AppArmor's `snap.NAME.APP`.
  package var snap: String? {
    let prefix = Array("snap.".utf8)
    guard bytes.starts(with: prefix) else { return nil }
    let name = bytes.dropFirst(prefix.count).prefix { $0 != UInt8(ascii: ".") && $0 != 0 && $0 != UInt8(ascii: " ") }
    return String(decoding: name, as: UTF8.self)
  }
}
