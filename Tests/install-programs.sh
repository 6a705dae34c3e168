#!/bin/bash
# Installs what Tests/programs.sh needs: Debian's packages; what comes by pip, into .build/program-venv; and into
# .build/program-bin single programs of packages that would not go with those of their makers, or run a service.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

"$here/install-deps.sh" programs
"$here/servers/install-venv.sh" program-venv "$here/programs/requirements.txt"

# take PACKAGE PROGRAM
take() {
  [ ! -x "$folder/$2" ] || return 0
  command -v apt-get >/dev/null || { echo "install-programs.sh: not a Debian system: no $folder/$2" >&2; exit 1; }
  echo "installing $2 of $1 into $folder"
  # Its sandbox may not reach a folder of ours.
  (cd "$unpacked" && apt-get -q -o APT::Sandbox::User= download "$1" && dpkg-deb -x "$1"_*.deb .)
  cp "$unpacked/usr/bin/$2" "$folder/$2"
}

folder=$here/../.build/program-bin
mkdir -p "$folder"
unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
take kubernetes-client kubectl
take docker.io docker
take podman podman
