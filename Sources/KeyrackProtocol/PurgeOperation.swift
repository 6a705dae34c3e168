/// `purge`: end every session, and remove all that Keyrack has in the keyring and in its state directory.
public struct PurgeOperation: Operation {
  public static let name = OperationName.purge
  public enum CodingKeys: String, CodingKey, CaseIterable { case confirm }

  /// Has to be true.
  public let confirm: Bool?

  public init(confirm: Bool?) { self.confirm = confirm }

  public struct Reply: Decodable, JSONObject, Sendable, Hashable {
    /// Items of the keyring.
    public let removed: Int
    /// Sessions that their provider has ended.
    public let revoked: Int
    /// Sessions that their provider could not be told of. It may let them live until they expire.
    public let failed: Int

    public init(removed: Int, revoked: Int, failed: Int) {
      self.removed = removed
      self.revoked = revoked
      self.failed = failed
    }

    public func write(to object: inout JSONObjectWriter) {
      object.member("removed", removed)
      object.member("revoked", revoked)
      object.member("failed", failed)
    }
  }

  public func write(to object: inout JSONObjectWriter) { object.member("confirm", confirm) }
}
