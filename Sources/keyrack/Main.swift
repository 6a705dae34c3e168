import Glibc

@main
struct Main {
  static func main() { exit(CommandLineInterface.run(Command.arguments(CommandLine.arguments))) }
}
