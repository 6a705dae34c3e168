#!/bin/bash
# aerc shows a message of the mailbox.
set -euo pipefail

prepare() {
  mkdir -p .config/aerc
  recipe aerc >.config/aerc/accounts.conf
  chmod 600 .config/aerc/accounts.conf
}

# It knows no end but that of its terminal.
works() {
  new-mail "$1"
  TERM=xterm COLUMNS=120 LINES=40 script -qfc "stty cols 120 rows 40; exec aerc" screen >/dev/null </dev/null &
  local terminal=$! attempt status=1
  for attempt in $(seq 100); do
    sleep 0.05
    if grep -aq "$1" screen; then status=0; break; fi
    kill -0 "$terminal" 2>/dev/null || break
  done
  kill "$terminal" 2>/dev/null || true
  wait "$terminal" || true
  sed -E 's/\x1b[^A-Za-z]*[A-Za-z]//g' screen
  return "$status"
}

"$@"
