# The checks of service.sh that are about the Debian package and "make install". Sourced, not run.

# --- As root, before the user manager starts --------------------------------------------------------------------

install_by_make() {
  local home=$1
  make_to() { make -s -C "$checkout" "$1" HOME="$home" PREFIX="$home/.local"; }
  make_to install
  grep -q "^ExecStart=$home/.local/bin/keyrackd$" "$home/.local/share/systemd/user/keyrack.service"
  make_to uninstall
  [ -z "$(find "$home" -not -type d)" ] || { echo "uninstall left: $(find "$home" -not -type d)" >&2; exit 1; }
}

# The package, and one of a version before it: the same but for its version, there and in the daemon.
prepare_packages() {
  local folder=/run/previous version previous
  version=$(sed -n 's/.*static let version = "\(.*\)".*/\1/p' "$checkout/Sources/KeyrackProtocol/Keyrack.swift")
  previous=${version//[0-9]/0}
  mkdir -p /run/packages
  cp "$checkout/.build/keyrack_${version}_$(dpkg --print-architecture).deb" /run/packages/new.deb
  dpkg-deb -R /run/packages/new.deb "$folder"
  sed -i "s/^Version: .*/Version: $previous/" "$folder/DEBIAN/control"
  sed -i "s/${version//./\\.}/$previous/g" "$folder/usr/bin/keyrackd"
  dpkg-deb -Znone -b "$folder" /run/packages/previous.deb >/dev/null
  rm -r "$folder"
  echo "$previous $version" >/run/packages/versions
}

# Without an index of all pages, without waiting for a disk that is none, and with what a build machine may have forbidden.
prepare_dpkg() {
  rm -f /var/lib/man-db/auto-update /usr/sbin/policy-rc.d
  echo force-unsafe-io >/etc/dpkg/dpkg.cfg.d/keyrack-test
  # For the checks, which are the user's.
  install -D -m 4755 "$(command -v setpriv)" "$1/test/as-root"
}

prepare_package() {
  install_by_make "$1"
  prepare_packages
  prepare_dpkg "$1"
  dpkg -i /run/packages/previous.deb >/run/packages/log 2>&1 || { cat /run/packages/log >&2; return 1; }
}

# --- As the user ------------------------------------------------------------------------------------------------

as_root() {
  test/as-root --reuid 0 --regid 0 --clear-groups --reset-env env PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@" >root.log 2>&1 ||
    fail "$*: $(cat root.log)"
}
package() { as_root dpkg "$@"; }
version_is() { is 'the version that answers' "$(ask '{"op":"version"}')" "*\"version\":\"$1\"*"; }

login_has_the_socket() {
  read -r previous version </run/packages/versions
  # It looks for the pages of Documentation=, too.
  is 'systemd-analyze verify' "$(systemd-analyze --user --man="$(command -v man >/dev/null && echo yes || echo no)" \
    verify /usr/lib/systemd/user/keyrack* 2>&1)" ''
  is 'the socket file' "$(stat -c '%F %a' "$socket")" 'socket 600'
  is 'its directory' "$(stat -c '%F %a' "${socket%/*}")" 'directory 700'
  is 'the service before the first connect' "$(property keyrack.service ActiveState)" inactive
  ok 'the units of the package verify, and a login has the socket without the service'
}

nobody_is_refused_by_an_upgrade() {
  version_is "$previous"
  start_clients
  clients_were_served
  package -i /run/packages/new.deb
  until_true version_is "$version"
  clients_were_served
  stop_clients
  is 'restarts after a failure' "$(property keyrack.service NRestarts)" 0
  is 'what has to be loaded again' "$(property keyrack.service NeedDaemonReload)" no
  ok 'an upgrade of the package has the new daemon serve, and refuses nobody'
}

policy_of_the_machine_counts() {
  local before
  before=$(main_process)
  as_root sh -c 'printf "#!/bin/sh\nexit 101\n" >/usr/sbin/policy-rc.d && chmod 755 /usr/sbin/policy-rc.d'
  as_root /var/lib/dpkg/info/keyrack.postinst configure
  is 'what is still to be done' "$(systemctl --user --no-legend list-jobs)" ''
  is 'the process under a policy against restarts' "$(main_process)" "$before"
  as_root rm /usr/sbin/policy-rc.d
  as_root /var/lib/dpkg/info/keyrack.postinst configure
  until_true eval "[ \$(main_process) != $before ]"
  ok 'the package restarts nothing where policy-rc.d forbids it'
}

removal_leaves_what_is_the_persons() {
  local before
  before=$(token)
  package -r keyrack
  [ ! -e "$socket" ] || fail 'the socket is still there'
  until_true eval '[ "$(property keyrack.socket LoadState) $(property keyrack.service LoadState)" = "not-found not-found" ]'
  is 'its processes' "$(pgrep -u "$(id -u)" keyrack)" ''
  package -i /run/packages/new.deb
  # Without logging in again.
  is 'the token of the sign-in before' "$(token)" '*"access_token":"at_*'
  package -P keyrack
  [ ! -e "$socket" ] || fail 'the socket is still there'
  is 'what is left' "$(find /etc/systemd /usr/{bin,lib,libexec,share} /var/lib/systemd/deb-* -name '*keyrack*' 2>/dev/null)" ''
  is 'the configuration' "$(cat "$configuration")" '*account work*'
  is 'the keyring' "$(secret-tool search --all app keyrack 2>&1)" '*account = work*'
  ok 'without the package socket, daemon and units are gone, and what is in configuration and keyring is there for the next'
}
