# The checks of service.sh that are about restarts while clients ask. Sourced, not run.

# ask_on CLIENT COMMAND...: asks again and again until there is the file `enough`, and keeps what is no token.
ask_on() {
  local client=$1 answer
  shift
  until [ -e enough ]; do
    answer=$("$@" 2>&1) || true
    [[ $answer == *at_* ]] || printf '%s\n' "$answer" >>refused
    echo >>"count.$client"
  done
}
start_clients() {
  rm -f enough refused count.*
  clients=()
  local client
  for client in 1 2; do ask_on "$client" token & clients+=("$!"); done
  for client in 3 4; do ask_on "$client" keyrack token work & clients+=("$!"); done
}
# stop_clients [PATTERN]: of what is no token only lines with that may have come; no answer at all is an empty line.
stop_clients() {
  touch enough
  wait "${clients[@]}"
  clients=()
  [ ! -s refused ] || { [ $# -gt 0 ] && ! grep -qv "$1" refused; } || fail "refused: $(sort refused | uniq -c)"
}
# Returns when each of them has asked twice more.
clients_were_served() {
  local file
  for file in count.*; do truncate -s 0 "$file"; done
  for file in count.{1..4}; do until_true eval "[ \$(wc -l <$file) -ge 2 ]"; done
}
restart() { systemctl --user restart keyrack.service; }

nobody_is_refused_by_a_restart() {
  local round
  start_clients
  for round in 1 2 3 4 5; do
    clients_were_served
    restart
  done
  clients_were_served
  stop_clients
  ok "nobody is refused in $round restarts"
}

# Faster than anybody does: whoever asks has it started again, which calls off a stop that has not begun. The command line asks
# three more daemons where it is told that one stops, the others none.
any_number_of_stops_leaves_the_socket() {
  local round
  start_clients
  for round in $(seq 60); do systemctl --user stop keyrack.service 2>/dev/null || true; done
  clients_were_served
  stop_clients '"code":"shutting_down".*"retryable":true\|^keyrack: keyrackd is stopping$\|^keyrack: hint: ask again'
  ok "$round stops on end leave the socket, and who asks is served or told to ask again"
}

start_that_fails_is_tried_again() {
  local drop_in=.config/systemd/user/keyrack.service.d
  systemctl --user stop keyrack.service 2>/dev/null
  mkdir -p "$drop_in"
  printf '[Service]\nExecStart=\nExecStart=/usr/bin/keyrackd --no-such-option\n' >"$drop_in/broken.conf"
  systemctl --user daemon-reload
  token >next.out & clients=("$!")
  until_true eval '[ "$(property keyrack.service NRestarts)" -ge 3 ]'
  rm -r "$drop_in"
  systemctl --user daemon-reload
  wait "${clients[@]}"
  clients=()
  is 'the answer once it can start' "$(cat next.out)" '*"access_token":"at_*'
  ok 'a start that fails is tried again, each second, and who came meanwhile is served by the first that works'
}

control() { python3 -c 'import sys, urllib.request as u
u.urlopen(u.Request("http://127.0.0.1:%s/control/%s" % tuple(sys.argv[1:3]), sys.argv[3].encode(), method=sys.argv[4]))' \
  "$port" "$@"; }

what_was_begun_is_finished() {
  local spent new asking idle restarting
  spent=$(token | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
  control script '{"path":"/token","hold":true}' POST
  mkfifo idle.in
  { echo '{"op":"version"}'; cat idle.in; } | socat -t35 - "UNIX-CONNECT:$socket" >idle.out & idle=$!
  ask "{\"op\":\"token\",\"account\":\"work\",\"rejected\":\"$spent\"}" >asking.out & asking=$!
  control 'wait?path=/token' '' GET
  until_true grep -q keyrackd idle.out
  systemctl --user restart keyrack.service & restarting=$!
  until_true eval '[ "$(property keyrack.service SubState)" = stop-sigterm ]'
  # Who comes now has to wait for the next daemon, and does.
  token >next.out & clients=("$!")
  control release '{}' POST
  wait "$restarting" "$asking" "${clients[@]}"
  is 'the answer to who asked before' "$(cat asking.out)" '*"code":"shutting_down"*"retryable":true*'
  is 'the answer to who came later' "$(cat next.out)" '{"ok":true*"access_token":"at_*'
  : >idle.in
  wait "$idle" || fail 'the connection did not end as it should'
  new=$(sed 's/.*"access_token":"\([^"]*\)".*/\1/' next.out)
  [ "$new" != "$spent" ] || fail 'the token is the one that was refused'
  clients=()
  ok 'a refresh under way is finished and kept, who waits for it is told, and the others wait for the next daemon'
}
