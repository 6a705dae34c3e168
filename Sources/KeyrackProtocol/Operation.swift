/// An operation of the protocol: what its request carries and what its reply carries.
///
/// One file each holds both, and that definition serves the daemon, the command line, the tests and the README.
public protocol Operation: Decodable, JSONObject, Sendable {
  associatedtype Reply: Decodable & JSONObject & Sendable
  associatedtype CodingKeys: CodingKey & CaseIterable

  static var name: OperationName { get }
}

/// The values of `op`.
public enum OperationName: String, Sendable, Decodable, CaseIterable {
  case version, login
  case loginResponse = "login_response"
  case cancel, logout, token, status, check, subscribe, reload, providers, discover, register, secret, resolve, purge
}
