#!/bin/bash
# Runs what many threads share with ThreadSanitizer, in a build of its own.
set -euo pipefail
cd "$(dirname "$0")/.."

suites='WaiterTests|TokenCoordinatorTests|EventLoop|HTTPClient|SocketServer|KeyrackProtocolTests'
scratch=$PWD/.build/tsan
swift=${SWIFT:-swift}

"$swift" build --build-tests --sanitize=thread --scratch-path "$scratch"
# Only Clang knows Swift's calling convention.
clang=$(dirname "$(realpath "$(command -v "$swift")")")/clang
"$clang" -O1 -Wall -Wextra -Werror -shared -fPIC -o "$scratch/mutex.so" Tests/tsan.c

export TSAN_OPTIONS="suppressions=$PWD/Tests/tsan.supp" SWIFT_BACKTRACE=enable=no
LD_PRELOAD=$scratch/mutex.so exec "$scratch/debug/keyrackPackageTests.xctest" \
  --testing-library swift-testing --no-parallel --filter "$suites"
