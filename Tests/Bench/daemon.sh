# The daemon and its provider in the private session, for run.sh. Sourced, not run: $bin, $work, $processor and $socket are its.

daemon='' provider=''

start_provider() {
  mkfifo "$work/provider.in"
  "$bin/sample-provider" --until-stdin-closes <"$work/provider.in" >"$work/provider.out" 2>"$work/provider.log" &
  provider=$!
  exec 9>"$work/provider.in"
  wait_until 'sample-provider' grep -q port "$work/provider.out"
  port=$(sed -n 's/.*"port": *\([0-9]*\).*/\1/p' "$work/provider.out")
}

stop_provider() {
  [ -n "$provider" ] || return 0
  exec 9>&-
  wait "$provider" 2>/dev/null || true
  provider=
}

# write_configuration COUNT: one provider, accounts user-1 to user-COUNT.
write_configuration() {
  mkdir -p "$XDG_CONFIG_HOME/keyrack"
  {
    printf '[provider sample]\nclient_id=bench\npassword_grant=true\n'
    printf 'token_endpoint=http://127.0.0.1:%s/token\n' "$port"
    for number in $(seq "$1"); do printf '\n[account user-%d]\nprovider=sample\nscopes=mail\n' "$number"; done
  } >"$XDG_CONFIG_HOME/keyrack/keyrack.conf"
  chmod 600 "$XDG_CONFIG_HOME/keyrack/keyrack.conf"
}

# start_daemon COUNT: with so many accounts, nobody signed in but who was remembered.
start_daemon() {
  write_configuration "$1"
  # Without descriptor 9, which keeps the provider alive.
  setpriv --pdeathsig TERM taskset -c "$processor" "$bin/keyrackd" 9>&- >"$work/daemon.log" 2>&1 &
  daemon=$!
  wait_until 'keyrackd' answers || { cat "$work/daemon.log" >&2; return 1; }
}

stop_daemon() {
  [ -n "$daemon" ] || return 0
  kill "$daemon" 2>/dev/null || true
  wait "$daemon" 2>/dev/null || true
  daemon=
}

answers() { echo '{"op":"version"}' | "$work/bench_client" feed "$socket" 1 2>/dev/null; }

# ask LINE: the reply line.
ask() { printf '%s\n' "$1" | socat -t35 - "UNIX-CONNECT:$socket"; }

# sign_in LAST REMEMBER [FIRST]: the accounts, from the first, eight at a time.
sign_in() {
  local number
  for number in $(seq "${3:-1}" "$1"); do
    printf '{"id":%d,"op":"login","account":"user-%d","method":"password","username":"user-%d","password":"password-%d","remember":%s}\n' \
      "$number" "$number" "$number" "$number" "$2"
  done | "$work/bench_client" feed "$socket" 8
}

resident_kib() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$1/status"; }

children_of() { cat "/proc/$1/task/"*/children; }

mebibytes() { awk -v kib="$1" 'BEGIN { printf "%.1f MiB", kib / 1024 }'; }
