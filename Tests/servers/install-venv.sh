#!/bin/bash
# Installs what a file of requirements names into .build/NAME, where the tests look for it. Does nothing where it is there.
#
#   install-venv.sh NAME REQUIREMENTS
set -euo pipefail
requirements=$(realpath "$2")
cd "$(dirname "$0")/../.."
venv=.build/$1

if cmp -s "$requirements" "$venv/installed.txt"; then exit 0; fi
echo "installing $(basename "$requirements") into $venv"
rm -rf "$venv"
# The one that Debian's python3-venv belongs to, whatever comes first in PATH.
/usr/bin/python3 -m venv "$venv"
# With all of what is needed pinned, and nothing to compile.
"$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --only-binary :all: -r "$requirements"
# Last: an installation that was interrupted does not count.
cp "$requirements" "$venv/installed.txt"
