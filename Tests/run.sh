#!/bin/bash
# Runs the tests that "swift build --build-tests" built.
#
#   run.sh            all, in three processes side by side, as most of the time a test waits
#   run.sh PATTERN    in one process those whose suite, file or name matches this regular expression, such as LoginTests
#
# Each process runs one test at a time. What it says is shown whole, after what the one before said; failures are shown again
# at the end. The exit status is 0 where nothing failed.
set -euo pipefail
cd "$(dirname "$0")/.."

program=(.build/debug/keyrackPackageTests.xctest --testing-library swift-testing --no-parallel)
export SWIFT_BACKTRACE=enable=no
if [ $# -gt 0 ]; then exec "${program[@]}" --filter "$1"; fi

# These wait longest: for servers to start, for tokens to expire, for deadlines to pass.
waiting='KeyrackEndToEndTests\.(Soak|RealServer|KeyringMatrix|Outage|DeviceLogin)'
# What is quick, and enough besides for all three to take about as long.
quick='Keyrack(Core|Protocol|System)Tests|KeyrackEndToEndTests\.(Concurrency|CrashMatrix)'
logs=$(mktemp -d)
pids=()

start() {
  "${program[@]}" "$@" >"$logs/${#pids[@]}" 2>&1 &
  pids+=($!)
}

end() {
  kill "${pids[@]}" 2>/dev/null || true
  rm -rf "$logs"
}

trap end EXIT
# What hangs is seen, too.
trap 'cat "$logs"/*; exit 1' INT TERM

start --filter "$waiting"
start --filter "$quick"
# Whatever is in neither, and so whatever is new.
start --skip "$waiting|$quick"

failures=()
for number in "${!pids[@]}"; do
  status=0
  wait "${pids[number]}" || status=$?
  cat "$logs/$number"
  if [ $status -ne 0 ]; then failures+=("process $((number + 1)) ended with $status"); fi
done
pids=()

if [ ${#failures[@]} -gt 0 ]; then grep -ah '✘' "$logs"/* | grep -v 'Test run with' || true; fi
count=$(sed -n 's/.*Test run with \([0-9]*\) test.*/\1/p' "$logs"/* | awk '{ sum += $1 } END { print sum + 0 }')
printf 'run.sh: %s\n' "$count tests were run" "${failures[@]}"
[ ${#failures[@]} -eq 0 ]
