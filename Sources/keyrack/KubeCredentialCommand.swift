import Glibc
import KeyrackProtocol

/// `keyrack kube-credential`: a token as the client-go programs, kubectl among them, ask for it.
struct KubeCredentialCommand {
  private let operation: TokenOperation
  private let version: ExecCredential.Version

  init(_ invocation: Invocation) throws(CommandFailure) {
    operation = try invocation.tokenOperation()
    version = try Self.version(asked: unsafe getenv("KUBERNETES_EXEC_INFO").map { unsafe String(cString: $0) } ?? "")
  }

  func run() throws -> Int32 {
    let reply = try operation.token()
    let credential = ExecCredential(version: version, token: reply.token, expiresAt: reply.expiresAt)
    try Output.line(JSONObjectWriter.text(of: credential))
    return 0
  }

  /// That of the request, whose cluster does not matter: the account says whose token it is to be.
  private static func version(asked request: String) throws(CommandFailure) -> ExecCredential.Version {
    if request.isEmpty { return .v1 }
    let text = Array(request.utf8)
    let scan: JSONScan
    do { scan = try JSONScan(text) } catch {
      throw CommandFailure(status: 1, "KUBERNETES_EXEC_INFO: \(error.message) at byte \(error.position)")
    }
    guard let member = scan.members.first(where: { $0.name == "apiVersion" }),
      let name = scan.text(of: member, in: text)
    else { throw CommandFailure(status: 1, "KUBERNETES_EXEC_INFO: it has no apiVersion") }
    guard let version = ExecCredential.Version(rawValue: name) else {
      throw CommandFailure(
        status: 1, "KUBERNETES_EXEC_INFO: \(name) is not known here",
        hint: "apiVersion: \(ExecCredential.Version.v1.rawValue) in the kubeconfig")
    }
    return version
  }
}
