package import KeyrackProtocol

/// A time by a clock that nobody can set and that counts suspend (CLOCK_BOOTTIME). Means nothing in another boot.
package struct BootTime: Sendable, Equatable, Decodable, JSONObject {
  /// Which boot: the kernel draws an id for each.
  package let boot: String
  /// Since then, cut off.
  package let seconds: Int

  package init(boot: String, seconds: Int) {
    self.boot = boot
    self.seconds = seconds
  }

  package func write(to object: inout JSONObjectWriter) {
    object.member("boot", boot)
    object.member("seconds", seconds)
  }
}
