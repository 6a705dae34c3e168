#!/bin/bash
# Shows Keyrack at its main job, for real: a desktop session of its own (D-Bus, gnome-keyring, home), an identity
# provider on loopback whose access tokens live five seconds, the daemon and its command line.
#
#   Tests/demo.sh [DIRECTORY]     the folder of the built programs, else .build/release
#
# Takes under a minute, asks nothing, leaves nothing behind. The exit status is 0 only if every step did what it says.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
programs=$(cd "${1:-$here/.build/release}" && pwd)
daemon=

. "$here/Tests/private-session.sh"

say() { printf '\n# %s\n' "$*"; }
fail() {
  printf 'demo: %s\n' "$*" >&2
  exit 1
}

# Prints a command, runs it, prints what it said. Sets `output` (of stdout) and `status`.
show() {
  printf '$ %s\n' "$1"
  status=0
  output=$(eval "$1") || status=$?
  [ -z "$output" ] || printf '%s\n' "$output"
}
expect() { [ "$status" -eq "$1" ] || fail "exit status $status where $1 was expected"; }

clean() {
  local result=$?
  trap - EXIT
  if [ "$result" -ne 0 ] && [ -s "$session_dir/keyrackd.log" ]; then
    printf '\ndemo: the end of the daemon'\''s log:\n' >&2
    tail -n 20 "$session_dir/keyrackd.log" >&2
  fi
  stop_session
  exit "$result"
}

check_programs() {
  local name
  for name in keyrackd keyrack keyrack-keyring sample-provider; do
    [ -x "$programs/$name" ] || fail "$programs/$name is not built; run: make"
  done
  for name in dbus-daemon dbus-send gnome-keyring-daemon secret-tool socat; do
    command -v "$name" >/dev/null ||
      fail "$name is missing; run: apt install dbus-daemon dbus-bin gnome-keyring libsecret-tools socat"
  done
}

# --- The identity provider ---------------------------------------------------------------------------------------

start_provider() {
  setpriv --pdeathsig TERM sample-provider --access-lifetime 5 >"$session_dir/provider.out" &
  session_processes=($! "${session_processes[@]}")
  wait_until 'the provider' grep -q port "$session_dir/provider.out"
  port=$(sed 's/[^0-9]//g' "$session_dir/provider.out")
}
# A GET at the provider: path, and an access token.
get() {
  printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n' "$1" "${2:-}" |
    socat -t10 - "TCP:127.0.0.1:$port" | tr -d '\r'
}
# What the resource says to an access token: its status line and its body.
api() { get /api "$1" | sed -n '1p;$p'; }
api_refuses() { api "$1" | grep -q '^HTTP/1.1 401'; }
# The requests to some endpoints, one a line. Waits for the first of each.
requests_to() {
  local path grant='"grant_type":"([^"]*)"' rest='"outcome":"([^"]*)".*"user":"([^"]*)"'
  for path; do
    printf '%s\n' "$(get "/control/wait?path=$path" | tail -n 1)" | sed 's/},{"/}\n{"/g' |
      sed -E "s|.*$grant.*$rest.*|POST $path (grant_type=\1): \2, user \3|; s|^[^P].*$rest.*|POST $path: \1, user \2|"
  done
}

# --- The daemon --------------------------------------------------------------------------------------------------

answers() {
  printf '{"op":"version"}\n' | socat -t5 - "UNIX-CONNECT:$XDG_RUNTIME_DIR/keyrack/keyrack.sock" >/dev/null 2>&1
}
start_daemon() {
  printf '$ keyrackd &\n'
  setpriv --pdeathsig TERM keyrackd >>"$session_dir/keyrackd.log" 2>&1 &
  daemon=$!
  session_processes=($! "${session_processes[@]}")
  wait_until 'keyrackd' answers
}
stop_daemon() {
  printf '$ kill %s; wait %s\n' "$daemon" "$daemon"
  kill -TERM "$daemon"
  status=0
  wait "$daemon" || status=$?
  expect 0
}
write_configuration() {
  mkdir -p "$XDG_CONFIG_HOME/keyrack"
  cat >"$XDG_CONFIG_HOME/keyrack/keyrack.conf" <<CONF
[provider sample]
token_endpoint=http://127.0.0.1:$port/token
revocation_endpoint=http://127.0.0.1:$port/revoke
client_id=keyrack-demo
password_grant=true

[account work]
provider=sample
CONF
}

# --- The demonstration -------------------------------------------------------------------------------------------

sign_in() {
  say 'A provider, and an account at it. The daemon finds both in its configuration file.'
  show 'cat $XDG_CONFIG_HOME/keyrack/keyrack.conf'
  start_daemon
  show 'keyrack version'
  expect 0
  say 'Sign in once. The password goes over a pipe and the socket: it is in no argument list, file or variable.'
  show "printf %s 'wonder+land&1' | keyrack login work --username alice --password-stdin"
  expect 0
}

hand_out() {
  say 'Any program gets an access token by one line on the socket, or by the command line.'
  show 'printf '\''{"op":"token","account":"work"}\n'\'' | socat -t35 - UNIX-CONNECT:$XDG_RUNTIME_DIR/keyrack/keyrack.sock'
  [[ $output == *'"access_token":"at_'* ]] || fail 'no access token'
  show 'keyrack token work'
  expect 0
  first=$output
  show 'keyrack status'
  expect 0
  say 'The provider accepts it.'
  show "api $first"
  [[ $output == *200* ]] || fail 'the access token was not accepted'
}

refresh() {
  say 'Five seconds later it has expired. The next call gets a fresh one: nobody signs in again.'
  wait_until 'the end of the access token' api_refuses "$first"
  show "api $first"
  show 'keyrack token work'
  expect 0
  [ "$output" != "$first" ] || fail 'the expired access token was handed out again'
  show "api $output"
  [[ $output == *200* ]] || fail 'the fresh access token was not accepted'
}

restart() {
  say 'The session outlives the daemon: its refresh token is in the keyring.'
  stop_daemon
  start_daemon
  show 'keyrack token work'
  expect 0
  say 'One item of the keyring holds it (the secret itself is left out here).'
  show 'secret-tool search --all app keyrack 2>&1 | grep -v "^secret = "'
  [ "$(grep -c '^attribute.app = keyrack' <<<"$output")" -eq 1 ] || fail 'not one item in the keyring'
}

sign_out() {
  say 'Sign out: the session ends here, in the keyring and at the provider.'
  show 'keyrack logout work --wait'
  expect 0
  show 'secret-tool search --all app keyrack 2>&1'
  [ -z "$output" ] || fail 'something is left in the keyring'
  show 'keyrack token work'
  expect 3
  printf '(exit status %s)\n' "$status"
  show 'printf '\''{"op":"token","account":"work"}\n'\'' | socat -t35 - UNIX-CONNECT:$XDG_RUNTIME_DIR/keyrack/keyrack.sock'
  [[ $output == *'"code":"login_required"'* ]] || fail 'not login_required'
  say 'What the provider saw: one password, refreshes, a revocation.'
  show 'requests_to /token /revoke'
  [ "$(grep -c 'grant_type=password' <<<"$output")" -eq 1 ] || fail 'not one password at the provider'
  [ "$(grep -c '(grant_type=refresh_token): granted' <<<"$output")" -ge 2 ] || fail 'not two refreshes at the provider'
  [[ $output == *'/revoke: revoked'* ]] || fail 'the provider was not told'
}

check_programs
start_session
trap clean EXIT
PATH=$programs:$PATH
start_provider
write_configuration
sign_in
hand_out
refresh
restart
sign_out
stop_daemon
say "Done in $SECONDS seconds."
