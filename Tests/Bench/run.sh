#!/bin/bash
# Measures the daemon and prints one table. See "make bench".
#
#   run.sh BIN    BIN holds keyrackd, keyrack, keyrack-keyring and sample-provider, built for release
#
# Client and server share one processor: on two, waking an idle one would be most of what is measured. The C server answers
# each line with a line as long as Keyrack's and does nothing else.
set -euo pipefail
bin=${1:?usage: run.sh BIN}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../private-session.sh"
. "$here/daemon.sh"
. "$here/attacks.sh"

processor=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
request='{"op":"token","account":"user-1"}'

clean() {
  stop_attack
  stop_daemon
  stop_server
  stop_provider
  stop_session
}

pinned() { taskset -c "$processor" "$@"; }

# row WHAT FIGURE [TARGET]
row() { printf '%-52s %14s   %s\n' "$1" "$2" "${3-}"; }

# target TEXT FIGURE LIMIT at-most|at-least: the text, and whether the figure misses the limit.
target() {
  awk -v text="$1" -v figure="$2" -v limit="$3" -v side="$4" 'BEGIN {
    is_met = side == "at-most" ? figure <= limit : figure >= limit
    print text (is_met ? "" : "  MISSED")
  }'
}

# microseconds NANOSECONDS
microseconds() { awk -v ns="$1" 'BEGIN { printf "%.1f us", ns / 1000 }'; }

# medians COUNT COMMAND...: each figure of the command's line is the middle one of that many runs.
medians() {
  local count=$1 number=0 fields=()
  shift
  for _ in $(seq "$count"); do "$@"; done >"$work/runs"
  read -r -a fields <"$work/runs"
  while [ $((number += 1)) -le ${#fields[@]} ]; do
    cut -d ' ' -f "$number" "$work/runs" | sort -n | sed -n "$((count / 2 + 1))p"
  done | paste -sd ' '
}

start_server() {
  # Not by a function: its process would be a shell, not the server. A script that is killed leaves nothing running.
  setpriv --pdeathsig TERM taskset -c "$processor" "$work/echo_server" "$work/echo.sock" "$1" 9>&- &
  server=$!
  wait_until 'the C server' test -S "$work/echo.sock"
}

stop_server() {
  [ -n "${server-}" ] || return 0
  kill "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  server=
}

measure_requests() {
  local client=(pinned "$work/bench_client") ours theirs ratio
  read -r -a ours < <(medians 5 "${client[@]}" roundtrip "$socket" 20000 "$request")
  read -r -a theirs < <(medians 5 "${client[@]}" roundtrip "$work/echo.sock" 20000 "$request")
  ratio=$(awk -v a="${ours[0]}" -v b="${theirs[0]}" 'BEGIN { printf "%.2f", a / b }')
  row 'cached token, one connection: p50' "$(microseconds "${ours[0]}")"
  row 'cached token, one connection: p99' "$(microseconds "${ours[1]}")"
  row 'the same from the C server: p50' "$(microseconds "${theirs[0]}")"
  row 'the same from the C server: p99' "$(microseconds "${theirs[1]}")"
  row 'ratio to the C server, p50' "$ratio x" "$(target '<= 2.2 x' "$ratio" 2.2 at-most)"

  read -r -a ours < <(medians 5 "${client[@]}" connect "$socket" 5000 "$request")
  read -r -a theirs < <(medians 5 "${client[@]}" connect "$work/echo.sock" 5000 "$request")
  row 'connect, ask, close: p50' "$(microseconds "${ours[0]}")" "C server $(microseconds "${theirs[0]}")"
  row 'connect, ask, close: p99' "$(microseconds "${ours[1]}")" "C server $(microseconds "${theirs[1]}")"

  ours=("$(medians 5 "${client[@]}" pipeline "$socket" 100000 "$request" 16)")
  theirs=("$(medians 5 "${client[@]}" pipeline "$work/echo.sock" 100000 "$request" 16)")
  row '16 requests in flight' "${ours[0]} /s" "$(target '>= 60000 /s' "${ours[0]}" 60000 at-least), C server ${theirs[0]} /s"
}

measure_memory() {
  local count=$1 note=${2-} limit='' resident
  resident=$(resident_kib "$daemon")
  [ "$count" != 100 ] || limit=$(target '<= 20 MiB' "$resident" 20480 at-most)
  row "keyrackd with $count account(s), resident$note" "$(mebibytes "$resident")" "$limit"
  for child in $(children_of "$daemon"); do
    row "keyrack-keyring with $count account(s), resident$note" "$(mebibytes "$(resident_kib "$child")")"
  done
}

measure_processes() {
  local micros
  micros=$("$work/spawn_bench" run 200 "$bin/keyrack" token user-1)
  row '"keyrack token" as a process, mean of 200' "$(microseconds $((micros * 1000)))" \
    "starting \"true\": $(microseconds $(($("$work/spawn_bench" run 200 true) * 1000)))"
  stop_daemon
  micros=$("$work/spawn_bench" ready 11 "$socket" "$bin/keyrackd" 2>"$work/ready.log") ||
    { cat "$work/ready.log" >&2; return 1; }
  row 'start to first answer, median of 11' "$((micros / 1000)).$((micros / 100 % 10)) ms" \
    "$(target '<= 50 ms' "$micros" 50000 at-most)"
}

start_session
trap clean EXIT
work=$session_dir/bench
mkdir "$work"
for program in echo_server bench_client spawn_bench attack; do
  cc -O2 -Wall -Wextra -o "$work/$program" "$here/$program.c"
done
socket=$XDG_RUNTIME_DIR/keyrack/keyrack.sock
start_provider

row "processor $processor of $(nproc)" 'measured' 'target'
start_daemon 1
sign_in 1 true
reply=$(ask "$request")
start_server "$reply"
measure_requests
stop_server
measure_memory 1
measure_processes

start_daemon 100
sign_in 100 true
measure_memory 100
stop_daemon

# Each sign-in that is remembered rewrites the whole keyring, 40 ms by then: these are not.
start_daemon 1000
sign_in 1000 false
measure_memory 1000 ' *'
stop_daemon
echo '* not remembered in the keyring'

# Last: the provider still hangs after it.
prepare_attacks
start_daemon 9
measure_attacks
stop_daemon
