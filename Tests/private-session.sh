# A desktop session of its own for tests: HOME, XDG_RUNTIME_DIR, XDG_CONFIG_HOME, a session bus, and gnome-keyring with an
# unlocked default collection. Sourced, not run.
#
#   start_session    sets the environment and $session_dir; stop_session is then the trap for EXIT
#   stop_session     ends what start_session started and removes $session_dir
#
# Nothing is started by bus activation: the bus knows no service folders. A script with a trap of its own for EXIT sets it
# after start_session and calls stop_session there.

session_dir='' session_processes=()

start_session() {
  # Short: the path of a socket has 107 bytes.
  session_dir=$(mktemp -d /tmp/keyrack.XXXXXX)
  trap stop_session EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  mkdir -m 700 "$session_dir"/{home,run,config}
  export HOME=$session_dir/home XDG_RUNTIME_DIR=$session_dir/run XDG_CONFIG_HOME=$session_dir/config
  export DBUS_SESSION_BUS_ADDRESS=unix:path=$session_dir/run/bus
  unset XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME DBUS_SESSION_BUS_PID DISPLAY WAYLAND_DISPLAY \
    GNOME_KEYRING_CONTROL KEYRACK_SOCKET NOTIFY_SOCKET
  start_bus
  start_keyring
}

stop_session() {
  local process
  for process in "${session_processes[@]}"; do kill "$process" 2>/dev/null && wait "$process" 2>/dev/null || true; done
  session_processes=()
  [ -z "$session_dir" ] || rm -rf "$session_dir"
  session_dir=
}

start_bus() {
  cat >"$session_dir/bus.conf" <<CONF
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=$session_dir/run/bus</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
CONF
  # A script that is killed leaves nothing running.
  setpriv --pdeathsig TERM dbus-daemon --config-file="$session_dir/bus.conf" --nofork --nopidfile \
    >"$session_dir/bus.log" 2>&1 &
  session_processes=($! "${session_processes[@]}")
  wait_until 'the session bus' test -S "$session_dir/run/bus"
}

start_keyring() {
  # Not empty: with an empty password gnome-keyring makes no collection.
  printf keyrack >"$session_dir/password"
  setpriv --pdeathsig TERM gnome-keyring-daemon --foreground --components=secrets --unlock \
    <"$session_dir/password" >"$session_dir/keyring.log" 2>&1 &
  session_processes=($! "${session_processes[@]}")
  wait_until 'the keyring' keyring_is_unlocked
}

keyring_is_unlocked() {
  local call=(dbus-send --session --print-reply --reply-timeout=5000 --dest=org.freedesktop.secrets) path
  path=$("${call[@]}" /org/freedesktop/secrets org.freedesktop.Secret.Service.ReadAlias string:default 2>/dev/null |
    sed -n 's/.*object path "\(.*\)"/\1/p')
  [ -n "$path" ] && [ "$path" != / ] &&
    "${call[@]}" "$path" org.freedesktop.DBus.Properties.Get string:org.freedesktop.Secret.Collection string:Locked |
    grep -q false
}

# wait_until WHAT COMMAND...: runs the command until it succeeds, for ten seconds.
wait_until() {
  local what=$1 attempt
  shift
  for attempt in $(seq 500); do
    if "$@"; then return 0; fi
    sleep 0.02
  done
  echo "$what did not come up" >&2
  return 1
}
