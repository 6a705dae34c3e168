#!/bin/bash
# Installs what is missing of the Debian packages that Keyrack needs, without starting a service or asking a question.
#
#   install-deps.sh build|test
#
# Does nothing, and needs no rights, where all are there.
set -euo pipefail
. "$(dirname "$0")/packages.sh"

case ${1-} in
  build) packages=("${build_packages[@]}") ;;
  test) packages=("${build_packages[@]}" "${test_packages[@]}") ;;
  *) echo "usage: install-deps.sh build|test" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null; then
  echo "install-deps.sh: not a Debian system; these packages' counterparts are needed: ${packages[*]}" >&2
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status} ' "$package" 2>/dev/null) || status=
  [[ " $status" == *" installed "* ]] || missing+=("$package")
done
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
apt update
apt install -y --no-install-recommends "${missing[@]}"
