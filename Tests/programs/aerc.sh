#!/bin/bash
# aerc shows a message of the mailbox, and sends one.
set -euo pipefail

prepare() {
  mkdir -p .config/aerc
  recipe aerc >.config/aerc/accounts.conf
  chmod 600 .config/aerc/accounts.conf
}

# soon COMMAND...: whether it succeeds within ten seconds, or before aerc ends.
soon() {
  local attempt
  for attempt in $(seq 200); do
    if "$@" 2>/dev/null; then return 0; fi
    kill -0 "$terminal" 2>/dev/null || return 1
    sleep 0.05
  done
  return 1
}
on_screen() { grep -aq "$1" screen; }

# The message that it was started with is written at once; "y" then sends it.
sends() { soon on_screen 'Send this email' && printf y >&"$keys" && soon has-mail "out-$1"; }

# It knows no end but that of its terminal.
works() {
  local terminal keys status=1
  new-mail "in-$1"
  rm -f screen keys
  mkfifo keys
  exec {keys}<>keys
  TERM=xterm EDITOR=true script -qfc "stty cols 120 rows 40; exec aerc 'mailto:alice@example.org?subject=out-$1&body=hello'" \
    screen >/dev/null <keys &
  terminal=$!
  if sends "$1" && soon on_screen "in-$1"; then status=0; fi
  kill "$terminal" 2>/dev/null || true
  wait "$terminal" || true
  sed -E 's/\x1b[^A-Za-z]*[A-Za-z]//g' screen
  return "$status"
}

"$@"
