#!/bin/bash
# Runs a command as a user of its own below a real `systemd --user`, on a machine that systemd has started. For root.
#
#   user-manager.sh COMMAND [ARGUMENT...]
#
# The exit status is the command's; 77 where the kernel does not allow it. All happens in namespaces of its own, where
# systemd is the first process: the user, the home (/run/home, the working directory), the journal and what is written to
# /usr, /etc and /var are not there outside, and everything ends with the command. systemd knows no units but those that
# `units` names, as others would set up a machine that is in use: clean /tmp, set the kernel's variables.
#
# What root prepares before: a function `prepare`, exported by the caller, is run with the home as its argument.
set -euo pipefail

user=keyrack-test
# One that adduser(8) gives to nobody, and not of systemd's dynamic users, who have no journal of their own.
id=59357
home=/run/home
runtime=/run/user/$id
unit_path=/run/keyrack-test-units
units=(
  sysinit basic sockets slices paths timers shutdown exit -- .target
  systemd-journald dbus -- .socket
  systemd-journald dbus systemd-logind user@ user-runtime-dir@ systemd-exit -- .service
  user -- .slice
)

skip() {
  printf 'user-manager.sh: skipped: %s\n' "$1" >&2
  exit 77
}

# Outside: makes the namespaces. In the one of processes this script is the first, so that all of them end with it.
enter() {
  [ "$(id -u)" = 0 ] || skip 'root is needed for namespaces and control groups'
  [ -x /lib/systemd/systemd ] || skip 'systemd is not installed'
  command -v unshare >/dev/null || skip 'unshare is not installed'
  local namespaces=(--mount --pid --uts --ipc --fork --kill-child --mount-proc --propagation private)
  unshare "${namespaces[@]}" true 2>/dev/null || skip 'this system allows no namespaces'
  cgroup=keyrack-test.$$
  export cgroup
  trap end EXIT
  trap 'exit 1' HUP INT TERM
  unshare "${namespaces[@]}" "$0" --inside "$@" </dev/null &
  machine=$!
  local status=0
  wait "$machine" || status=$?
  machine=
  exit "$status"
}

# Ends the first process, with which all others go, and removes the control groups: the one thing without a namespace here.
end() {
  [ -z "$machine" ] || { pkill -KILL -P "$machine" && wait "$machine" || true; } 2>/dev/null
  unshare --mount --propagation private "$0" --remove-cgroups 2>/dev/null || true
}

remove_cgroups() {
  mount_cgroups
  find "/sys/fs/cgroup/$cgroup" -depth -type d -exec rmdir {} +
  exit
}

mount_cgroups() {
  umount -l /sys/fs/cgroup 2>/dev/null || true
  mount -t cgroup2 cgroup2 /sys/fs/cgroup
}

# Inside, first: goes into a control group, which is the root of them for all that comes next.
enter_cgroup() {
  mount_cgroups || skip 'cgroup2 cannot be mounted'
  mkdir "/sys/fs/cgroup/$cgroup" && echo 0 >"/sys/fs/cgroup/$cgroup/cgroup.procs" || skip 'no control group can be made'
  exec unshare --cgroup "$0" --contained "$@"
}

# The file systems as they are on a booted machine, with nothing that is written going through to this one.
mount_all() {
  local folder
  mount -t tmpfs -o mode=755 tmpfs /run
  for folder in usr etc var; do
    mkdir -p "/run/written/$folder" "/run/written/$folder.work"
    mount -t overlay -o "lowerdir=/$folder,upperdir=/run/written/$folder,workdir=/run/written/$folder.work" overlay "/$folder" ||
      skip 'no overlay can be mounted'
  done
  mkdir -p "$home"
  chown $id:$id "$home" 2>/dev/null || skip 'this root cannot act for another user'
  # For as long as systemd starts, which would set some. A container could not be made below it.
  mount --bind /proc/sys /proc/sys
  mount -o remount,bind,ro /proc/sys
  mount -o remount,bind,ro /sys
  mount_cgroups
  # For what the caller prepares: the units of this machine are not for here.
  mount -t tmpfs tmpfs /etc/systemd/system
  mount --make-rshared /
}

add_user() {
  echo "$user:x:$id:$id::$home:/bin/sh" >>/etc/passwd
  echo "$user:x:$id:" >>/etc/group
  echo "$user:*:1::::::" >>/etc/shadow
  # For containers, as adduser(8) does.
  echo "$user:700000:65536" | tee -a /etc/subuid >>/etc/subgid
  # Its manager runs without a login.
  mkdir -p /var/lib/systemd/linger
  touch "/var/lib/systemd/linger/$user"
}

add_units() {
  local names=() word
  mkdir -p "$unit_path/systemd-logind.service.d" /run/systemd/transient
  for word in "${units[@]}"; do
    case $word in
      --) ;;
      .*) ln -s "${names[@]/%/$word}" "$unit_path"; names=() ;;
      *) names+=("/lib/systemd/system/$word") ;;
    esac
  done
  ln -s systemd-logind.service "$unit_path/dbus-org.freedesktop.login1.service"
  # It would make a folder in /tmp.
  printf '[Service]\nPrivateTmp=no\n' >"$unit_path/systemd-logind.service.d/test.conf"
  printf '[Unit]\nRequires=systemd-journald.service dbus.socket systemd-logind.service user@%s.service\n' "$id" \
    >"$unit_path/keyrack-test.target"
}

# A user may read a journal that is on disk, so this one pretends to be.
prepare_journal() {
  mkdir -p /var/log/journal /run/systemd/{journal,journald.conf.d}
  mount -t tmpfs tmpfs /var/log/journal
  touch /run/systemd/journal/flushed
  printf '[Journal]\nStorage=persistent\nReadKMsg=no\nForwardToSyslog=no\nAudit=no\nRateLimitBurst=0\n' \
    >/run/systemd/journald.conf.d/test.conf
}

in_session() {
  setpriv --reuid $id --regid $id --clear-groups --reset-env env -C "$home" HOME="$home" USER=$user LOGNAME=$user \
    LANG=C.UTF-8 PATH=/usr/local/bin:/usr/bin:/bin XDG_RUNTIME_DIR="$runtime" \
    DBUS_SESSION_BUS_ADDRESS="unix:path=$runtime/bus" "$@"
}

await_manager() {
  local attempt
  for attempt in $(seq 200); do
    case $(in_session systemctl --user is-system-running 2>/dev/null) in running | degraded) return 0 ;; esac
    sleep 0.05
  done
  journalctl --no-pager -n 50 >&2
  return 1
}

# Beside the first process, which ends when this does.
run() {
  status=77
  trap 'systemctl --force exit "$status"' EXIT
  await_manager || { echo 'user-manager.sh: skipped: systemd --user does not start here' >&2; return; }
  umount -l /proc/sys
  status=0
  in_session "$@" || status=$?
}

case ${1-} in
  --inside) shift; enter_cgroup "$@" ;;
  --contained) shift ;;
  --remove-cgroups) remove_cgroups ;;
  *) enter "$@" ;;
esac
mount_all
add_user
add_units
prepare_journal
if declare -F prepare >/dev/null; then prepare "$home"; fi
run "$@" &
exec env -i container=other PATH=/usr/sbin:/usr/bin SYSTEMD_GENERATOR_PATH=/nonexistent \
  SYSTEMD_UNIT_PATH="$unit_path:/run/systemd/transient:/etc/systemd/system" \
  /lib/systemd/systemd --system --unit=keyrack-test.target --log-target=journal
