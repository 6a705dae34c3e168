#!/bin/bash
# The man pages: each renders without a warning. What they say is compared with the programs by ManualTests.
set -euo pipefail
cd "$(dirname "$0")/.."

export LC_ALL=C.UTF-8 MANWIDTH=80
failed=0

# complaint FILE: what the two formatters say of it.
complaint() {
  { man --warnings -l "$1" >/dev/null; } 2>&1
  # Its database of pages, which "xr" looks at, may be older than what is installed.
  mandoc -T lint -W warning "$1" 2>&1 | grep -v 'outdated mandoc.db' || true
}

for page in man/*.[1-8]; do
  said=$(complaint "$page")
  [ -z "$said" ] || { printf '%s\n' "$said" >&2; failed=1; }
  man -l "$page" | grep -q '^NAME' || { echo "man.sh: $page renders to nothing" >&2; failed=1; }
done

# They would say so.
broken=$(mktemp)
trap 'rm -f "$broken"' EXIT
printf '.Dd November 30, 2026\n.Dt BROKEN 1\n.Os\n.Sh NAME\n.Nm broken\n.Nd nothing\n.Bl -tag\n.It \\*[nothing\n' >"$broken"
[ -n "$(complaint "$broken")" ] || { echo 'man.sh: a broken page is not complained of' >&2; failed=1; }
exit $failed
