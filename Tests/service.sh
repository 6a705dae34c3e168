#!/bin/bash
# The Debian package, installed on a machine that systemd has started (user-manager.sh) and run by the user's manager there,
# with a real keyring. Run "make deb" before.
#
# Takes less than a minute. The exit status is 0 if all is as the README says, and where it cannot run here, which it says.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# --- As root, before the user manager starts --------------------------------------------------------------------

prepare() {
  local home=$1
  prepare_package "$home"
  prepare_credential "$home"
  install -D -m 755 "$checkout/.build/release/sample-provider" "$checkout"/Tests/service{,-headless,-hooks,-package,-remote,-sandbox,-token-file,-upgrade,-watch}.sh \
    "$checkout/Tests/servers/certificate.sh" "$checkout/man/keyrack-recipes.7" -t "$home/test"
  gcc -O1 -D_GNU_SOURCE -Wall -Werror -o "$home/test/sandbox-probe" "$checkout/Tests/sandbox-probe.c"
  chown -R --reference="$home" "$home"
  chown root "$home"/test/{as-root,sandbox-probe}
  chmod 4755 "$home"/test/{as-root,sandbox-probe}
  prepare_sshd "$home"
}

run() {
  checkout=$(dirname "$here")
  export checkout
  export -f prepare prepare_{credential,package,packages,dpkg,sshd} install_by_make find_sshd
  local status=0
  "$here/user-manager.sh" /bin/bash test/service.sh --checks || status=$?
  [ "$status" -ne 77 ] || exit 0
  exit "$status"
}

# shellcheck source=service-headless.sh
. "$here/service-headless.sh"
# shellcheck source=service-hooks.sh
. "$here/service-hooks.sh"
# shellcheck source=service-package.sh
. "$here/service-package.sh"
# shellcheck source=service-remote.sh
. "$here/service-remote.sh"
# shellcheck source=service-sandbox.sh
. "$here/service-sandbox.sh"
# shellcheck source=service-token-file.sh
. "$here/service-token-file.sh"
# shellcheck source=service-upgrade.sh
. "$here/service-upgrade.sh"
# shellcheck source=service-watch.sh
. "$here/service-watch.sh"

# --- As the user ------------------------------------------------------------------------------------------------

socket=${XDG_RUNTIME_DIR-}/keyrack/keyrack.sock
configuration=$HOME/.config/keyrack/keyrack.conf
password='wonder+land&1'

ok() { printf 'ok: %s\n' "$*"; }
fail() {
  printf 'service.sh: %s\n' "$*" >&2
  journalctl --user --no-pager -n 30 >&2
  exit 1
}
# is WHAT ACTUAL EXPECTED-PATTERN
is() { [[ $2 == $3 ]] || fail "$1: expected $3, not: $2"; }
property() { systemctl --user show --value -p "$2" "$1"; }
ask() { printf '%s\n' "$1" | socat -t35 - "UNIX-CONNECT:$socket"; }
token() { ask '{"op":"token","account":"work"}'; }
# Tries for 15 seconds.
until_true() {
  local attempt
  for attempt in $(seq 300); do
    if "$@" >/dev/null 2>&1; then return 0; fi
    sleep 0.05
  done
  fail "waited in vain for: $*"
}
has_status() { [[ $(property keyrack.service StatusText) == $1 ]]; }
has_restarted() { [ "$(property keyrack.service NRestarts)" -gt "$1" ] && systemctl --user is-active keyrack.service; }
has_logged() { [[ $(journalctl --user --no-pager) == *"$1"* ]]; }
main_process() { property keyrack.service MainPID; }

write_configuration() {
  mkdir -p "${configuration%/*}"
  printf '[provider sample]\nclient_id=test\ntoken_endpoint=https://127.0.0.1:%s/token\nca_file=%s\npassword_grant=true\n' \
    "$secure_port" "$HOME/tls/ca.pem" >"$configuration"
  local account
  for account; do printf '[account %s]\nprovider=sample\n' "$account" >>"$configuration"; done
}

start_provider() {
  test/sample-provider >provider.out &
  until_true grep -q port provider.out
  port=$(sed 's/[^0-9]//g' provider.out)
  # The daemon speaks TLS to it.
  mkdir tls
  test/certificate.sh tls >tls/log 2>&1
  secure_port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  socat "OPENSSL-LISTEN:$secure_port,bind=127.0.0.1,reuseaddr,fork,cert=tls/server.pem,key=tls/server.key,verify=0" \
    "TCP:127.0.0.1:$port" 2>/dev/null &
  until_true bash -c "</dev/tcp/127.0.0.1/$secure_port"
}

first_connect_starts_the_service() {
  is 'the answer' "$(ask '{"op":"version"}')" '{"ok":true,"name":"keyrackd",*'
  is 'the service' "$(property keyrack.service ActiveState)" active
  is 'its status' "$(property keyrack.service StatusText)" '0 signed in'
  ok 'the first connect starts the service'
}

token_works_in_the_sandbox() {
  local process
  printf %s "$password" | keyrack login work --username alice --password-stdin 2>login.err || fail "$(cat login.err)"
  is 'the token' "$(token)" '*"access_token":"at_*'
  until_true has_status '1 signed in'
  is 'the keyring' "$(secret-tool search --all app keyrack 2>&1)" '*account = work*'
  # All of the service, the keyring's helper too.
  # shellcheck disable=SC2013
  for process in $(cat "/sys/fs/cgroup$(property keyrack.service ControlGroup)/cgroup.procs"); do
    is "$process in the sandbox" "$(grep -E '^(NoNewPrivs|Seccomp):' "/proc/$process/status" | tr -d '\n\t')" \
      'NoNewPrivs:1Seccomp:2'
  done
  ok 'a sign-in over TLS, the keyring and a token work in the sandbox'
}

reload_is_heard() {
  write_configuration work other
  systemctl --user reload keyrack.service
  until_true eval 'keyrack status | grep -q ^other'
  printf '[account broken]\nprovidr=sample\n' >>"$configuration"
  systemctl --user reload keyrack.service
  until_true has_status '*providr*'
  is 'the token under the old configuration' "$(token)" '*"access_token":"at_*'
  write_configuration work other
  systemctl --user reload keyrack.service
  until_true has_status '1 signed in'
  ok 'reload takes a new configuration, and keeps the old one where the new is broken'
}

clients_of_a_killed_daemon_wait() {
  local client before
  before=$(property keyrack.service NRestarts)
  systemctl --user kill --kill-whom=main -s KILL keyrack.service
  for client in 1 2 3 4 5; do token >"client.$client" & clients+=("$!"); done
  wait "${clients[@]}"
  for client in 1 2 3 4 5; do is "client $client" "$(cat "client.$client")" '*"access_token":"at_*'; done
  until_true has_restarted "$before"
  ok 'a killed daemon is started again, and its clients wait for that'
}

watchdog_ends_a_hung_daemon() {
  local before
  mkdir -p .config/systemd/user/keyrack.service.d
  printf '[Service]\nWatchdogSec=1\n' >.config/systemd/user/keyrack.service.d/watchdog.conf
  systemctl --user daemon-reload
  systemctl --user restart keyrack.service
  before=$(property keyrack.service NRestarts)
  kill -STOP "$(main_process)"
  until_true has_restarted "$before"
  until_true has_logged 'keyrack.service: Watchdog timeout'
  is 'the token after it' "$(token)" '*"access_token":"at_*'
  # It pings in time when it is not hung.
  before=$(main_process)
  sleep 2.5
  is 'the process after two and a half limits' "$(main_process)" "$before"
  rm -r .config/systemd/user/keyrack.service.d
  systemctl --user daemon-reload
  ok 'the watchdog ends a hung daemon and leaves a working one alone'
}

stop_leaves_the_socket() {
  systemctl --user stop keyrack.service 2>/dev/null
  is 'the service' "$(property keyrack.service ActiveState) $(property keyrack.service Result)" 'inactive success'
  is 'the socket' "$(property keyrack.socket ActiveState)" active
  [ -S "$socket" ] || fail 'the socket file went with the service'
  is 'the token' "$(token)" '*"access_token":"at_*'
  ok 'after a stop the next connect starts the service again'
}

broken_configuration_is_answered() {
  printf '[account broken]\nprovidr=sample\n' >>"$configuration"
  systemctl --user stop keyrack.service 2>/dev/null
  is 'the answer' "$(token)" "*\"code\":\"config_error\"*$configuration:*providr*"
  is 'the service' "$(property keyrack.service ActiveState)" active
  is 'its status' "$(property keyrack.service StatusText)" "configuration: $configuration:*"
  local status=0
  mkdir -m 700 by-hand
  KEYRACK_SOCKET=$HOME/by-hand/keyrack.sock keyrackd 2>by-hand/err || status=$?
  is 'started by hand' "$status $(cat by-hand/err)" "78 keyrackd: $configuration:*providr*"
  [ ! -e by-hand/keyrack.sock ] || fail 'it left its socket file'
  write_configuration work
  keyrack reload 2>/dev/null
  is 'the token after a reload' "$(token)" '*"access_token":"at_*'
  ok 'with a broken configuration the service stays up and says what is wrong; by hand it is exit status 78'
}

one_daemon_at_a_time() {
  local status=0
  keyrackd 2>second.err || status=$?
  is 'a second daemon' "$status $(cat second.err)" '69 keyrackd: already running'
  is 'the first' "$(token)" '*"access_token":"at_*'
  ok 'a second daemon ends with status 69'
}

journal_tells_events_and_no_secret() {
  local journal
  journalctl --user --sync 2>/dev/null || true
  journal=$(journalctl --user --no-pager -o json)
  is 'the events' "$journal" '*"KEYRACK_EVENT":"*'
  is 'the accounts' "$journal" '*"KEYRACK_ACCOUNT":"work"*'
  ! grep -qF "$password" <<<"$journal" || fail 'the password is in the journal'
  ! grep -qE '[ar]t_[0-9A-Za-z]{8}' <<<"$journal" || fail 'a token is in the journal'
  ! grep -qF canary <<<"$journal" || fail 'the output of client_secret_command is in the journal'
  ok 'the journal has events by field, and no secret'
}

log_tells_who_got_which_token() {
  local lines count
  # Programs in a unit of their own, of which a thousand on one connection.
  systemd-run --user --quiet --wait --collect --unit=grantee.service \
    bash -c "for n in {1..1000}; do echo '{\"op\":\"token\",\"account\":\"work\"}'; done | socat -t35 - UNIX-CONNECT:$socket >$HOME/loop.out"
  is 'the answers' "$(grep -c access_token loop.out)" 1000
  # It writes what it has counted.
  systemctl --user stop keyrack.service 2>/dev/null
  journalctl --user --sync 2>/dev/null || true
  until_true eval 'keyrack log work | grep -q "grantee.service, 999 times more"'
  lines=$(keyrack log work | grep 'token given to .*grantee.service')
  is 'the log' "$lines" '20??-??-?? ??:??:??  work: token given to */socat*, unit grantee.service*'
  count=$(wc -l <<<"$lines")
  [ "$count" -le 3 ] || fail "$count lines for 1,000 tokens"
  is 'its fields' "$(keyrack log --json work)" '*"KEYRACK_PEER_UNIT":"grantee.service"*'
  ok 'keyrack log shows program and unit of a grant, and a thousand of them in a few lines'
}

checks() {
  local port secure_port version previous clients=()
  start_provider
  trap 'kill %1 %2' EXIT
  start_keyring
  write_configuration work
  login_has_the_socket
  first_connect_starts_the_service
  token_works_in_the_sandbox
  nobody_is_refused_by_an_upgrade
  policy_of_the_machine_counts
  exposure_is_low
  each_restriction_has_an_effect
  limits_are_in_force
  bus_and_keyring_may_come_late
  keyring_password_may_be_encrypted
  nobody_is_refused_by_a_restart
  any_number_of_stops_leaves_the_socket
  start_that_fails_is_tried_again
  what_was_begun_is_finished
  socket_is_forwarded_by_ssh
  podman_asks_by_the_helper
  socket_is_mounted_into_a_container
  reload_is_heard
  clients_of_a_killed_daemon_wait
  watchdog_ends_a_hung_daemon
  who_watches_goes_on_over_a_restart
  who_watches_waits_for_units_that_are_stopped
  person_is_asked_outside_the_sandbox
  unanswered_question_goes_away
  client_secret_comes_from_a_unit
  event_is_handed_to_a_unit
  stop_leaves_the_socket
  broken_configuration_is_answered
  one_daemon_at_a_time
  log_tells_who_got_which_token
  token_file_follows_the_session
  journal_tells_events_and_no_secret
  removal_leaves_what_is_the_persons
}

if [ "${1-}" = --checks ]; then checks; else run; fi
