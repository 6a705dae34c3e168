import Glibc

@main
struct Main {
  static func main() { exit(CommandLineInterface.run(Array(CommandLine.arguments.dropFirst()))) }
}
