/// The version of Keyrack that this was built from.
public enum Keyrack {
  /// The one place where it stands: the Makefile, which puts it into man pages and packages, reads it here.
  public static let version = "0.1.0"
  public static let protocolVersion = 1
}
