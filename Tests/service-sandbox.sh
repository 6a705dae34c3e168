# The checks of service.sh that are about what keyrack.service may do. Sourced, not run.

unit=/usr/lib/systemd/user/keyrack.service

# The lines that restrict, which are one paragraph of the unit.
restrictions() { sed -n '/^NoNewPrivileges=/,/^$/{/=/p}' "$unit"; }
# probe LINE... [-- SYSTEMD-RUN-OPTION...]: what comes of these lines' probes, in one line.
probe() {
  local lines=()
  while [ $# -gt 0 ] && [ "$1" != -- ]; do lines+=("$1"); shift; done
  [ $# -eq 0 ] || shift
  systemd-run --user --quiet --wait --pipe --collect "$@" "$HOME/test/sandbox-probe" "${lines[@]}" | paste -sd ' '
}

exposure_is_low() {
  systemd-analyze --user security --offline=yes --threshold=62 --no-pager "$unit" >exposure ||
    fail "systemd-analyze security: $(tail -n 1 exposure)"
  ok 'systemd-analyze security finds an exposure of 6.2 or less'
}

each_restriction_has_an_effect() {
  local line lines=() properties=() context
  while read -r line; do
    context=()
    # It has one on a filter only.
    [[ $line != SystemCallErrorNumber=* ]] || context=(-p SystemCallFilter=@system-service)
    case $line in
      SystemCallErrorNumber=*) is "before $line" "$(probe "$line" -- "${context[@]}")" killed ;;
      # Not every kernel has another architecture.
      SystemCallArchitectures=*) ;;
      *) is "without $line" "$(probe "$line")" 'allowed*' ;;
    esac
    is "under $line" "$(probe "$line" -- "${context[@]}" -p "$line")" '@(refused|killed)*'
    lines+=("$line")
    properties+=(-p "$line")
  done < <(restrictions)
  [ "${#lines[@]}" -gt 10 ] || fail "only ${#lines[@]} restrictions in the unit"
  line=$(probe "${lines[@]}" -- "${properties[@]}")
  is 'under all of them' "$line" 'refused*'
  [[ $line != *allowed* ]] || fail "under all of them: $line"
  ok "each of the ${#lines[@]} restrictions of the unit has an effect of its own"
}

limits_are_in_force() {
  local process swap
  process=/proc/$(main_process)
  is 'its swap' "$(property keyrack.service MemorySwapMax)" 0
  # Where this machine has the memory controller.
  swap=/sys/fs/cgroup$(property keyrack.service ControlGroup)/memory.swap.max
  [ ! -e "$swap" ] || is 'its swap' "$(cat "$swap")" 0
  is 'its limits' "$(sed -nE 's/^Max (core file size|locked memory|open files) +([0-9]+) .*/\1 \2/p' "$process/limits" |
    sort | paste -sd ,)" 'core file size 0,locked memory 8388608,open files 16384'
  [ "$(sed -nE 's/^VmLck:\s+([0-9]+) kB/\1/p' "$process/status")" -ge 4096 ] || fail 'it has not locked its memory'
  is 'its umask' "$(grep Umask "$process/status")" '*0077'
  [ "$(systemd-run --user --quiet --wait --pipe --collect cat /proc/keys)" != \
    "$(systemd-run --user --quiet --wait --pipe --collect -p KeyringMode=private cat /proc/keys)" ] ||
    fail 'KeyringMode=private changes nothing'
  ok 'limits, swap, locked memory, umask and a kernel keyring of its own are in force'
}

# As after a boot with lingering, before the person has logged in.
bus_and_keyring_may_come_late() {
  systemctl --user stop keyrack.service keyrack-headless-keyring.service dbus.socket dbus.service 2>/dev/null
  systemctl --user unset-environment DBUS_SESSION_BUS_ADDRESS
  rm "$XDG_RUNTIME_DIR/bus"
  is 'the answer without a bus' "$(token)" '*"code":"keyring_unavailable"*'
  is 'the status without a bus' "$(ask '{"op":"status"}')" '*"state":"keyring_locked"*"keyring":{"state":"unavailable"*'
  systemctl --user start dbus.socket
  systemctl --user start keyrack-headless-keyring.service
  is 'the token with it' "$(token)" '*"access_token":"at_*'
  is 'restarts of the daemon' "$(property keyrack.service NRestarts)" 0
  ok 'bus and keyring may come after the daemon'
}
