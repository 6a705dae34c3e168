#!/bin/bash
# Installs what is missing of the Debian packages that Keyrack needs, without starting a service or asking a question.
#
#   install-deps.sh build|deb|test|check|programs
#
# Does nothing, and needs no rights, where all are there.
set -euo pipefail
. "$(dirname "$0")/packages.sh"

case ${1-} in
  build) packages=("${build_packages[@]}") ;;
  deb) packages=("${build_packages[@]}" "${deb_packages[@]}") ;;
  test) packages=("${build_packages[@]}" "${test_packages[@]}") ;;
  check) packages=("${build_packages[@]}" "${deb_packages[@]}" "${test_packages[@]}" "${check_packages[@]}") ;;
  programs) packages=("${build_packages[@]}" "${test_packages[@]}" "${program_packages[@]}") ;;
  *) echo "usage: install-deps.sh build|deb|test|check|programs" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null; then
  echo "install-deps.sh: not a Debian system; these packages' counterparts are needed: ${packages[*]}" >&2
  exit 0
fi

is_installed() { [[ " $(dpkg-query -W -f '${db:Status-Status} ' "$1" 2>/dev/null)" == *" installed "* ]]; }

missing=()
for package in "${packages[@]}"; do is_installed "$package" || missing+=("$package"); done
[ ${#missing[@]} -gt 0 ] || exit 0

echo "installing ${missing[*]}"
as_root=()
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "install-deps.sh: run as root: apt-get install ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi

# Until the packages are there no service may start, unless the system has a policy of its own.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap '"${as_root[@]}" rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
  "${as_root[@]}" chmod 755 "$policy"
fi
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" </dev/null; }

# Left to itself glewlwyd asks for a configuration and a database of the system's. The tests run it with files of their own.
prepare_glewlwyd() {
  printf 'glewlwyd glewlwyd/%s\n' 'config_type select No configuration' 'dbconfig-install boolean false' |
    "${as_root[@]}" debconf-set-selections
  # It needs one of these, and the last, which does nothing, excludes the others.
  local setup
  for setup in dbconfig-{mysql,pgsql,sqlite3,no-thanks}; do ! is_installed "$setup" || return 0; done
  missing+=("$setup")
}

apt update
[[ " ${missing[*]} " != *" glewlwyd "* ]] || prepare_glewlwyd
apt install -y --no-install-recommends "${missing[@]}"
# policy-rc.d keeps them from starting now, this from starting at the next boot.
for service in glewlwyd nginx fcgiwrap; do
  [[ " ${missing[*]} " != *" $service "* ]] || (cd /lib/systemd/system && "${as_root[@]}" systemctl --quiet disable "$service".*)
done
