#!/bin/bash
# Builds the fuzz targets in a build of its own, with AddressSanitizer, and runs each of them, or those that are named, for
# FUZZ seconds. What they find is left in .build/fuzz/findings, what they learn in .build/fuzz/corpus.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=$PWD/.build/fuzz
swift=${SWIFT:-swift}
seconds=${FUZZ:-60}
clang=$(dirname "$(realpath "$(command -v "$swift")")")/clang

# -sanitize=fuzzer is for the compiler alone: linked with it, a program has libFuzzer's main.
KEYRACK_FUZZING=1 "$swift" build -c release --product keyrack-fuzz --sanitize address --scratch-path "$scratch" \
  -Xswiftc -enable-testing -Xswiftc -Xfrontend -Xswiftc -sanitize=fuzzer \
  -Xlinker "$("$clang" -print-file-name="libclang_rt.fuzzer_no_main-$(uname -m).a")" -Xlinker -lstdc++

# Short traces of allocations make a third more inputs a second.
export ASAN_OPTIONS=malloc_context_size=2 SWIFT_BACKTRACE=enable=no
mkdir -p "$scratch/findings"
status=0
if [[ $# = 0 ]]; then set -- request answer callback idtoken configuration record; fi
for target; do
  mkdir -p "$scratch/corpus/$target"
  echo "== $target"
  KEYRACK_FUZZ_TARGET=$target "$scratch/release/keyrack-fuzz" "$scratch/corpus/$target" "Tests/Fuzz/Corpus/$target" \
    -dict="Tests/Fuzz/Dictionary/$target" -artifact_prefix="$scratch/findings/$target-" \
    -max_len=4096 -timeout=10 -print_final_stats=1 -max_total_time="$seconds" || status=1
done
exit $status
