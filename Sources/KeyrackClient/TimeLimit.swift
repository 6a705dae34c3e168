import KeyrackProtocol

extension Operation {
  /// How long the daemon may take for this before it counts as hanging: longer than its own deadlines (20 s for a
  /// provider, 60 s for a keyring prompt in a sign-in, 10 s for the keyring else), so that its own reason comes first.
  var timeLimit: Duration {
    switch Self.name {
    case .version, .status, .subscribe, .cancel, .loginResponse, .providers, .resolve: .seconds(10)
    case .reload: .seconds(30)
    // Its own limit is 25 s.
    case .check: .seconds(40)
    // Two documents may have to be tried.
    case .discover: .seconds(50)
    // A request, and a prompt of the keyring.
    case .register, .secret: .seconds(150)
    // The keyring, two requests one after the other, and the keyring again.
    case .purge: .seconds(180)
    case .token: .seconds(((self as? TokenOperation)?.timeout ?? TokenOperation.defaultTimeout) + 5)
    case .logout: (self as? LogoutOperation)?.wait == true ? .seconds(90) : .seconds(40)
    case .login:
      switch (self as? LoginOperation)?.method {
      case .password, .refreshToken: .seconds(180)
      // A person has ten minutes for the browser.
      case .browser, .device, .paste, nil: .seconds(660)
      }
    }
  }
}
