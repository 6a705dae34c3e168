extension Command {
  struct Definition {
    /// What follows the command, a form each.
    let usage: [String]
    let summary: String
    let options: [Option]
    let details: String?

    init(
      usage: [String], summary: String, options: [Option] = [], takesJSON: Bool = true, details: String? = nil
    ) {
      self.usage = usage
      self.summary = summary
      self.options = options + (takesJSON ? [.json] : []) + [.help]
      self.details = details
    }
  }
}
