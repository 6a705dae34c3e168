# The checks of service.sh that are about "keyrack watch" and "keyrack wait" while the units are restarted. Sourced, not run.
# shellcheck disable=SC2034,SC2154

start_watchers() {
  keyrack watch >watch.out 2>watch.err & clients=("$!")
  keyrack watch --json >watch.json 2>/dev/null & clients+=("$!")
  start_waiting
  until_true eval 'grep -q "  other  signed out" watch.out && grep -q "^{" watch.json'
}
start_waiting() {
  # What the one before has said says nothing of this one.
  rm -f wait.err
  keyrack wait other 2>wait.err & waiting=$!
  until_true grep -q 'waiting: other: ' wait.err
}
# Twice so many of them have seen the daemon go.
have_missed_it() { [ "$(grep -c 'keyrackd has stopped' watch.err wait.err | tr '\n' ' ')" = "watch.err:$1 wait.err:1 " ]; }
# await_other ROUND: signs in what the one waits for and the others look at.
await_other() {
  until_true eval "[ \$(grep -c 'keyrackd is back' watch.out) = $1 ]"
  printf %s "$password" | keyrack login other --username alice --password-stdin 2>login.err || fail "$(cat login.err)"
  wait "$waiting" || fail "keyrack wait: status $?: $(cat wait.err)"
  until_true eval "[ \$(grep -c '  other  signed in' watch.out) -ge $1 ]"
  until_true eval "[ \$(grep -c '\"event\":\"login\",\"account\":\"other\"' watch.json) = $1 ]"
  keyrack logout other 2>logout.err || fail "$(cat logout.err)"
}

who_watches_goes_on_over_a_restart() {
  local waiting
  start_watchers
  restart
  until_true have_missed_it 1
  await_other 1
  is 'lines of the states, of two daemons' "$(grep -c '"ok":true' watch.json)" 2
  ok 'keyrack watch and keyrack wait go on over a restart'
}

who_watches_waits_for_units_that_are_stopped() {
  local waiting status=0
  start_waiting
  systemctl --user stop keyrack.socket keyrack.service
  until_true have_missed_it 2
  keyrack status 2>status.err || status=$?
  is 'keyrack status meanwhile' "$status $(cat status.err)" '7 keyrack: keyrackd is not running: *'
  is 'the service in spite of them' "$(property keyrack.service ActiveState)" inactive
  kill -0 "${clients[@]}" "$waiting" || fail 'not all of them wait'
  # Whoever is first of them starts the service.
  systemctl --user start keyrack.socket
  await_other 2
  kill "${clients[@]}"
  wait "${clients[@]}" || true
  clients=()
  ok 'and over a stop of service and socket, once these are started again'
}
