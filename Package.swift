// swift-tools-version: 6.2
import PackageDescription

/// Set by Tests/fuzz.sh, for a build of its own with the coverage that libFuzzer follows.
let isForFuzzing = Context.environment["KEYRACK_FUZZING"] != nil

/// The same functions twice: what libFuzzer calls, and what the tests call with the files that it found.
let fuzzing: Target = {
  let dependencies: [Target.Dependency] = ["KeyrackSystem", "KeyrackCore", "KeyrackProtocol", "CJOSE", "CSystemd"]
  if isForFuzzing {
    return .executableTarget(
      name: "keyrack-fuzz", dependencies: dependencies, path: "Tests/Fuzz",
      exclude: ["Corpus", "Dictionary", "CorpusTests.swift"])
  }
  return .testTarget(
    name: "FuzzTests", dependencies: dependencies, path: "Tests/Fuzz",
    exclude: ["Corpus", "Dictionary", "Fuzzer.swift"])
}()

let package = Package(
  name: "keyrack",
  products: [
    .executable(name: "keyrackd", targets: ["keyrackd"]),
    .executable(name: "keyrack", targets: ["keyrack"]),
    .executable(name: "keyrack-keyring", targets: ["keyrack-keyring"]),
    .library(name: "KeyrackClient", targets: ["KeyrackClient", "KeyrackProtocol"]),
  ],
  targets: [
    .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CGLib", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),
    .systemLibrary(name: "CSecret", pkgConfig: "libsecret-1", providers: [.apt(["libsecret-1-dev"])]),
    .systemLibrary(
      name: "CJOSE", pkgConfig: "cjose", providers: [.apt(["libcjose-dev", "libjansson-dev", "libssl-dev"])]),
    .systemLibrary(name: "CMicrohttpd", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(name: "CQRencode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    .systemLibrary(name: "CStatfs"),
    .target(name: "CWipe"),

    .target(name: "KeyrackProtocol"),
    .target(name: "KeyrackClient", dependencies: ["KeyrackProtocol"]),
    .target(name: "KeyrackCore", dependencies: ["KeyrackProtocol"]),
    .target(
      name: "KeyrackSystem",
      dependencies: ["KeyrackCore", "KeyrackProtocol", "CSystemd", "CCurl", "CGLib", "CJOSE", "CMicrohttpd"],
      // Not as a bundle, which needs Foundation.
      resources: [.embedInCode("Configuration/Presets.conf")]),

    .executableTarget(name: "keyrackd", dependencies: ["KeyrackCore", "KeyrackProtocol", "KeyrackSystem", "CWipe"]),
    .executableTarget(
      name: "keyrack", dependencies: ["KeyrackClient", "KeyrackProtocol", "CGLib", "CQRencode", "CStatfs", "CWipe"]),
    .executableTarget(name: "keyrack-keyring", dependencies: ["KeyrackProtocol", "CSecret", "CWipe"]),

    // Not installed: what the tests and the demonstration run against.
    .executableTarget(name: "sample-provider", dependencies: ["CGLib"], path: "Tests/SampleProvider"),
    .target(name: "TestSupport", dependencies: ["CSecret", "KeyrackProtocol"], path: "Tests/TestSupport"),
    .testTarget(name: "KeyrackProtocolTests", dependencies: ["KeyrackProtocol"]),
    .testTarget(name: "KeyrackCoreTests", dependencies: ["KeyrackCore", "KeyrackProtocol"]),
    .testTarget(
      name: "KeyrackSystemTests",
      dependencies: [
        "KeyrackSystem", "KeyrackCore", "KeyrackProtocol", "CJOSE", "CSystemd", "TestSupport", "keyrack-keyring",
      ]),
    .testTarget(
      name: "KeyrackEndToEndTests",
      dependencies: [
        "KeyrackClient", "KeyrackProtocol", "TestSupport", "keyrackd", "keyrack", "keyrack-keyring", "sample-provider",
      ]),
    fuzzing,
  ]
)

let testOnly: Set = ["TestSupport", "sample-provider", "keyrack-fuzz"]

for target in package.targets where target.type != .system && target.name != "CWipe" {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
  ]
  if target.type != .test && !testOnly.contains(target.name) {
    target.swiftSettings?.append(.strictMemorySafety())
  }
  // accept4, SO_PEERCRED and their structures.
  target.cSettings = [.define("_GNU_SOURCE")]
}
