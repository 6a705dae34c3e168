#!/bin/bash
# Installs what Tests/programs.sh needs: Debian's packages; what comes by pip, into .build/program-venv; and its kubectl, into
# .build/kubectl, as its package does not go with the one of its makers.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

"$here/install-deps.sh" programs
"$here/servers/install-venv.sh" program-venv "$here/programs/requirements.txt"

kubectl=$here/../.build/kubectl
[ ! -x "$kubectl" ] || exit 0
command -v apt-get >/dev/null || { echo "install-programs.sh: not a Debian system: no $kubectl" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo "installing kubernetes-client into $kubectl"
# Its sandbox may not reach a folder of ours.
apt-get -q -o APT::Sandbox::User= download kubernetes-client
dpkg-deb -x kubernetes-client_*.deb .
cp usr/bin/kubectl "$kubectl"
