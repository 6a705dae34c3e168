/// A line to `keyrack-keyring`, the helper process that speaks to the Secret Service. One call at a time.
package struct KeyringCall: Codable, Sendable {
  package enum Name: String, Codable, Sendable {
    /// Is there a default collection, and can it be written? Unlocks it where `unlock` allows.
    case prepare
    /// All items that have these attributes, with their secrets.
    case find
    /// Create or replace the item with exactly these attributes, then read it back.
    case store
    /// Remove the items with exactly these attributes.
    case remove
  }

  package let call: Name
  package let attributes: [String: String]
  package let label: String?
  package let secret: Secret?
  /// Whether a locked collection may be unlocked, which may show a prompt to the person.
  package let unlock: Bool

  package init(
    _ call: Name, attributes: [String: String] = [:], label: String? = nil, secret: Secret? = nil, unlock: Bool = false
  ) {
    self.call = call
    self.attributes = attributes
    self.label = label
    self.secret = secret
    self.unlock = unlock
  }
}

/// A line from `keyrack-keyring`. `prompting` may come before the one that ends the call.
package struct KeyringAnswer: Codable, Sendable {
  package enum Outcome: String, Codable, Sendable {
    case done
    /// An unlock that may wait for a person begins now.
    case prompting
    /// The collection is locked, and stayed so.
    case locked
    /// No session bus, no Secret Service, or it could not be started.
    case unavailable
    /// What was stored did not read back the same.
    case mismatch
    /// Anything else; `message` says what.
    case failed
  }

  package struct Item: Codable, Sendable {
    package let attributes: [String: String]
    /// Nil where it is empty, no text, or cannot be read.
    package let secret: Secret?

    package init(attributes: [String: String], secret: Secret?) {
      self.attributes = attributes
      self.secret = secret
    }
  }

  package let outcome: Outcome
  package let items: [Item]
  /// For people. From our own words and the domain and code of the error; never its text, which may be translated.
  package let message: String?

  package init(_ outcome: Outcome, items: [Item] = [], message: String? = nil) {
    self.outcome = outcome
    self.items = items
    self.message = message
  }
}
