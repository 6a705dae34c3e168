import KeyrackProtocol

/// What an exec plugin of Kubernetes prints.
struct ExecCredential: JSONObject {
  enum Version: String, CaseIterable {
    case v1 = "client.authentication.k8s.io/v1"
    case v1beta1 = "client.authentication.k8s.io/v1beta1"
  }

  let version: Version
  let token: Secret
  /// Unix seconds. kubectl asks again then; where it is nil, in each process of its own and after a 401.
  let expiresAt: Int?

  func write(to object: inout JSONObjectWriter) {
    object.member("apiVersion", version)
    object.member("kind", "ExecCredential")
    object.member("spec", Spec())
    object.member("status", Status(token: token, expiresAt: expiresAt))
  }

  /// Both versions require it, and have nothing in it for an answer.
  private struct Spec: JSONObject {
    func write(to object: inout JSONObjectWriter) {}
  }

  private struct Status: JSONObject {
    let token: Secret
    let expiresAt: Int?

    func write(to object: inout JSONObjectWriter) {
      object.member("token", token)
      if let expiresAt { object.member("expirationTimestamp", UniversalTime.text(expiresAt)) }
    }
  }
}
