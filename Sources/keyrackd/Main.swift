import Glibc

@main struct Main {
  static func main() { exit(Command(arguments: CommandLine.arguments).run()) }
}
