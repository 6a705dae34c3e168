# A client that behaves while others do not, for run.sh. Sourced, not run: $bin, $work, $processor, $socket, $daemon,
# $provider and $request are its.
#
# An attack is a function that goes on until it is killed: one more is a function and a line in measure_attacks.

attack=''

# find_other_processor: $beside, one that is not the daemon's, where there is one: on the same, the scheduler would be what
# is measured.
find_other_processor() {
  local first last
  beside=$processor
  while read -r first last; do
    for beside in $(seq "$first" "${last:-$first}"); do [ "$beside" = "$processor" ] || return 0; done
  done < <(sed -n 's/^Cpus_allowed_list:\s*//p' /proc/self/status | tr ',-' '\n ')
}

hostile() { exec setpriv --pdeathsig TERM "$@"; }

slowloris() { hostile "$work/attack" slowloris "$socket" 200; }
endless_line() { hostile "$work/attack" endless "$socket"; }
never_reads() { hostile "$work/attack" mute "$socket" "$request"; }
pipelined() { hostile "$work/attack" pipeline "$socket" 10000 "$request"; }

# Eight accounts whose tokens live for a second want new ones, all the time.
want_refreshes() {
  local number
  while true; do
    for number in $(seq 2 9); do
      printf '{"op":"token","account":"user-%d","timeout":1}\n' "$number"
    done | socat -t3 - "UNIX-CONNECT:$socket" >/dev/null
  done
}

hung_keyring() {
  kill -STOP "$keyring_process"
  want_refreshes
}

hung_provider() {
  control script '{"path":"/token","count":100000,"hold":true}'
  want_refreshes
}

# The person never answers, and programs ask, all the time.
pending_confirm() {
  while true; do
    for _ in $(seq 8); do printf '{"op":"token","account":"asked","timeout":1}\n'; done |
      socat -t3 - "UNIX-CONNECT:$socket" >/dev/null
  done
}

# prepare_attacks: for the daemon that is started next, an account that asks the person.
prepare_attacks() {
  mkdir -p "$XDG_CONFIG_HOME/keyrack/keyrack.conf.d"
  printf '[account asked]\nprovider=sample\nscopes=mail\nconfirm=yes\n' >"$XDG_CONFIG_HOME/keyrack/keyrack.conf.d/asked.conf"
  printf '#!/bin/sh\nexec sleep 600\n' >"$work/askpass"
  chmod 700 "$work/askpass"
  export SSH_ASKPASS=$work/askpass DISPLAY=:9
}

# control WHAT JSON: steers the provider.
control() {
  exec 8<>"/dev/tcp/127.0.0.1/$port"
  printf 'POST /control/%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' "$1" >&8
  printf 'Connection: close\r\nContent-Length: %d\r\n\r\n%s' "${#2}" "$2" >&8
  cat <&8 >/dev/null
  exec 8>&-
}

stop_attack() {
  [ -n "$attack" ] || return 0
  # Its process group: a shell and what it runs.
  kill -- "-$attack" 2>/dev/null || true
  wait "$attack" 2>/dev/null || true
  kill -CONT "$keyring_process" 2>/dev/null || true
  attack=
}

# well_behaved: p50 and p99 of a cached token, in nanoseconds. Where the host gives the processors to another machine for a
# while, one run in five has a p99 ten times the usual with no attack, too: eleven of them have a middle.
well_behaved() { medians 11 taskset -c "$beside" "$work/bench_client" roundtrip "$socket" 4000 "$request"; }

# is_at_rest: the daemon has not run for half a second. What an attack has begun goes on for a while: refreshes of accounts
# that were in use, the keyring's new helper.
is_at_rest() {
  local before
  before=$(cat "/proc/$daemon/task"/*/schedstat)
  sleep 0.5
  [ "$(cat "/proc/$daemon/task"/*/schedstat)" = "$before" ]
}

# measure_attack WHAT FUNCTION: the p99 beside that of the moment before.
measure_attack() {
  local calm figures ratio
  wait_until 'the daemon at rest' is_at_rest
  read -r -a calm < <(well_behaved)
  # A process group of its own.
  set -m
  (
    taskset -cp "$beside" $BASHPID
    # They share a processor, and it is not the scheduler that is to be measured: the client comes first.
    chrt --idle --pid 0 $BASHPID
    "$2"
  ) 9>&- >"$work/attack.log" 2>&1 &
  attack=$!
  set +m
  sleep 0.5
  read -r -a figures < <(well_behaved)
  kill -0 "$attack" 2>/dev/null || { cat "$work/attack.log" >&2; return 1; }
  stop_attack
  ratio=$(awk -v a="${figures[1]}" -v b="${calm[1]}" 'BEGIN { printf "%.2f", a / b }')
  row "  $1: p99" "$(microseconds "${figures[1]}")" \
    "$(target "<= 2 x, is $ratio x of $(microseconds "${calm[1]}")" "$ratio" 2 at-most)"
}

# Of accounts user-1 to user-9: the first asks, the others have tokens that live for a second.
measure_attacks() {
  local beside keyring_process=${session_processes[0]}
  find_other_processor
  sign_in 1 true
  control settings '{"access_lifetime":1}'
  sign_in 9 true 2
  row 'cached token, client on another processor' '' 'beside the p99 just before'
  measure_attack '200 lines that never end, a byte at a time' slowloris
  measure_attack 'one line without end, as fast as it goes' endless_line
  measure_attack 'a client that never reads' never_reads
  measure_attack '10,000 requests in flight' pipelined
  measure_attack 'a person who does not answer' pending_confirm
  measure_attack 'a keyring that hangs' hung_keyring
  measure_attack 'a provider that hangs' hung_provider
}
