#!/bin/bash
# Runs a command as a user of its own below a real `systemd --user`, with a journal. For root.
#
#   user-manager.sh COMMAND [ARGUMENT...]
#
# The exit status is the command's; 77 where the kernel does not allow it. All happens in namespaces of its own: the user,
# the home (/run/home, the working directory) and the journal are not there outside, and everything ends with the command.
#
# What root prepares before: a function `prepare`, exported by the caller, is run with the home as its argument.
set -euo pipefail

user=keyrack-test
# One that adduser(8) gives to nobody, and not of systemd's dynamic users, who have no journal of their own.
id=59357
home=/run/home
runtime=/run/user/$id

skip() {
  printf 'user-manager.sh: skipped: %s\n' "$1" >&2
  exit 77
}

# Outside: makes the namespaces. In the one of processes this script is the first, so that all of them end with it.
enter() {
  [ "$(id -u)" = 0 ] || skip 'root is needed for namespaces and control groups'
  [ -x /lib/systemd/systemd ] || skip 'systemd is not installed'
  command -v unshare >/dev/null || skip 'unshare is not installed'
  local namespaces=(--mount --pid --fork --kill-child --mount-proc --propagation private)
  unshare "${namespaces[@]}" true 2>/dev/null || skip 'this system allows no namespaces'
  cgroup=keyrack-test.$$
  export cgroup
  local status=0
  unshare "${namespaces[@]}" "$0" --inside "$@" || status=$?
  # The control groups are the one thing without a namespace of its own here.
  remove_cgroups
  exit "$status"
}

remove_cgroups() {
  unshare --mount --propagation private bash -euc '
    umount -l /sys/fs/cgroup; mount -t cgroup2 cgroup2 /sys/fs/cgroup
    find "/sys/fs/cgroup/$cgroup" -depth -type d -exec rmdir {} +' 2>/dev/null || true
}

# The file systems as they are on a booted machine.
mount_all() {
  mount -t tmpfs -o mode=755 tmpfs /run
  mkdir -p /run/{systemd/{system,propagate,journald.conf.d},credentials,lock} /run/systemd/journal "$home" "$runtime"
  mkdir -m 600 /run/systemd/unit-root
  chown $id:$id "$home" 2>/dev/null || skip 'this root cannot act for another user'
  # systemd removes the runtime directories of units only from a tmpfs.
  mount -t tmpfs -o mode=700,uid=$id,gid=$id tmpfs "$runtime"
  umount -l /sys/fs/cgroup 2>/dev/null || true
  mount -t cgroup2 cgroup2 /sys/fs/cgroup || skip 'cgroup2 cannot be mounted'
  local delegated=/sys/fs/cgroup/$cgroup
  mkdir "$delegated" && echo 0 >"$delegated/cgroup.procs" || skip 'no control group can be made'
  chown -R $id:$id "$delegated"
}

add_user() {
  { cat /etc/passwd; echo "$user:x:$id:$id::$home:/bin/sh"; } >/run/passwd
  { cat /etc/group; echo "$user:x:$id:"; } >/run/group
  mount --bind /run/passwd /etc/passwd
  mount --bind /run/group /etc/group
}

# A user may read a journal that is on disk, so this one pretends to be.
start_journal() {
  mkdir -p /var/log/journal
  mount -t tmpfs tmpfs /var/log/journal
  touch /run/systemd/journal/flushed
  printf '[Journal]\nStorage=persistent\nReadKMsg=no\nForwardToSyslog=no\nAudit=no\nRateLimitBurst=0\n' \
    >/run/systemd/journald.conf.d/test.conf
  /lib/systemd/systemd-journald &
  # The manager looks for it once, when it starts, and else never logs there.
  local attempt
  for attempt in $(seq 200); do
    if [ -S /run/systemd/journal/socket ] && [ -S /run/systemd/journal/stdout ]; then return 0; fi
    sleep 0.05
  done
  skip 'systemd-journald does not start here'
}

as_user() {
  setpriv --reuid $id --regid $id --clear-groups --reset-env env -C "$home" HOME="$home" USER=$user LOGNAME=$user \
    LANG=C.UTF-8 PATH=/usr/local/bin:/usr/bin:/bin XDG_RUNTIME_DIR="$runtime" "$@"
}
in_session() { as_user DBUS_SESSION_BUS_ADDRESS="unix:path=$runtime/bus" "$@"; }

start_manager() {
  as_user /lib/systemd/systemd --user --log-target=journal >/run/manager.log 2>&1 &
  local attempt
  for attempt in $(seq 200); do
    case $(in_session systemctl --user is-system-running 2>/dev/null) in running | degraded) return 0 ;; esac
    sleep 0.05
  done
  cat /run/manager.log >&2
  skip 'systemd --user does not start here'
}

if [ "${1-}" != --inside ]; then enter "$@"; fi
shift
mount_all
add_user
if declare -F prepare >/dev/null; then prepare "$home"; fi
start_journal
start_manager
status=0
in_session "$@" || status=$?
exit "$status"
