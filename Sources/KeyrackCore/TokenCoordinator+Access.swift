package import KeyrackProtocol

/// Which program may have what.
extension TokenCoordinator {
  /// Why that program may not do that; nil where it may. The same whatever is known of the account. Of `token` nothing:
  /// ``tokenAtOnce(_:by:)`` refuses by itself, and so does ``resolve(_:by:)``.
  package func refusal(of call: Request.Call, by caller: Caller) -> ReplyError? {
    do throws(ReplyError) {
      switch call {
      // A subscriber is looked at where it is taken, and `resolve` names no account but finds one.
      case .version, .token, .subscribe, .resolve: break
      case .login(let request): try authorize(request.account, by: caller)
      case .loginResponse(let request): try authorize(request.account, by: caller)
      case .cancel(let request): try authorize(request.account, by: caller)
      case .logout(let request): try authorize(request.account, by: caller)
      // Of all accounts everybody sees those that it may use.
      case .status(let request): if let name = request.account { try authorize(name, by: caller) }
      case .check, .reload, .providers, .discover, .register, .secret, .purge: try authorize(nil, by: caller)
      }
      return nil
    } catch {
      return error
    }
  }

  /// Throws `forbidden` where a program may not use an account; nil: what concerns all of them.
  func authorize(_ name: String?, by caller: Caller) throws(ReplyError) {
    let policy = name.map(policy(of:)) ?? .standard
    guard let denial = policy.denial(of: caller.program) else { return }
    throw denied(name, denial, caller)
  }

  func mayUse(_ name: String, _ caller: Caller) -> Bool { policy(of: name).denial(of: caller.program) == nil }

  /// Of an account that is not configured: the standard one.
  private func policy(of name: String) -> AccessPolicy { slots[name]?.account.policy ?? .standard }
}

extension ReplyError {
  /// `name`: of the account that was asked for, whether there is one or not.
  static func forbidden(_ name: String?, _ denial: AccessDenial, _ program: Program, _ detail: String? = nil)
    -> ReplyError
  {
    let account = name.map { "\($0.excerpt): " } ?? ""
    return ReplyError(
      .forbidden, account + (detail ?? denial.message), hint: denial.hint(name, program), reason: denial.rawValue)
  }
}

extension AccessDenial {
  fileprivate var message: String {
    switch self {
    case .sandboxed: "a sandboxed program may not use this"
    case .notAllowed: "this program may not use the account"
    case .unknownProgram: "it cannot be found out which program asks"
    case .notConfirmed: "the person at this machine said no"
    case .noAskpass: "there is no askpass program to ask the person with"
    case .noDisplay: "there is no display to ask the person on"
    case .askpassFailed: "the askpass program has failed"
    }
  }

  func hint(_ name: String?, _ program: Program) -> String? {
    switch self {
    case .sandboxed:
      guard let item = program.pattern else { return nil }
      // Whether there is a list is not told. Where there is none, one of that item alone would shut all others out.
      let list = "allow=exe:/*;\(item)"
      guard let name else { return "only an account can let it in, by \(list) of its group in keyrack.conf" }
      let place = "of [account \(name.excerpt)] in keyrack.conf"
      return "to let it, add \(item) to allow= \(place), as \(list) where it has none, then keyrack reload"
    case .notAllowed:
      guard let name, let item = program.pattern else { return nil }
      return "to let it, add \(item) to allow= of [account \(name.excerpt)] in keyrack.conf, then keyrack reload"
    case .unknownProgram:
      return "the process that connects has to be the one that asks, and to be there until it is answered"
    case .notConfirmed: return nil
    case .noAskpass: return "install ssh-askpass, or set SSH_ASKPASS for keyrackd"
    case .noDisplay: return "systemctl --user import-environment DISPLAY WAYLAND_DISPLAY, or do without confirm="
    case .askpassFailed: return "see what it says: journalctl --user -u keyrack"
    }
  }
}

extension Program {
  /// The item of `allow` that names it.
  fileprivate var pattern: String? {
    switch confinement {
    case .flatpak(let name): "flatpak:\(name)"
    case .snap(let name): "snap:\(name)"
    case .container: unitPattern
    case .unknown: nil
    case nil: executable.map { "exe:\($0)" } ?? unitPattern
    }
  }

  /// Of a scope whose name ends in a process or a container, as `podman-123.scope`, the next one's too.
  private var unitPattern: String? {
    guard let unit else { return nil }
    guard unit.hasSuffix(".scope"), let dash = unit.lastIndex(of: "-") else { return "unit:\(unit)" }
    let end = unit[dash...].dropFirst().dropLast(".scope".count)
    let isProcess = !end.isEmpty && end.utf8.allSatisfy { (0x30...0x39).contains($0) }
    let isContainer = end.utf8.count == 64 && end.allSatisfy(\.isHexDigit)
    return isProcess || isContainer ? "unit:\(unit[...dash])*" : "unit:\(unit)"
  }
}
