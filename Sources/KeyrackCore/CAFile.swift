/// A PEM file of certificate authorities.
package struct CAFile: Sendable, Hashable {
  package let path: String
  /// Whether they are trusted besides those of the system, or instead of them.
  package let isAddition: Bool

  package init(_ path: String, isAddition: Bool = false) {
    self.path = path
    self.isAddition = isAddition
  }
}
