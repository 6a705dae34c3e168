#!/bin/bash
# getmail fetches a message.
set -euo pipefail

prepare() {
  mkdir -p .config/getmail
  # What else it delivers to is no place for root's mail.
  {
    recipe getmail
    printf 'ca_certs = %s\n[destination]\ntype = MDA_external\nallow_root_commands = true\n' "$ca"
    printf 'path = /usr/bin/tee\narguments = ("-a", "%s/getmail.mbox")\n' "$HOME"
  } >.config/getmail/getmailrc
}

works() {
  # Of the others' none: it loses the end of the process that it delivers a message with, once in a hundred on a busy machine.
  find "$mail_folder/alice" -type f -path '*/[cn][ue][rw]/*' -delete
  new-mail "$1"
  TMPDIR=$XDG_RUNTIME_DIR getmail
  grep -q "^Subject: $1" getmail.mbox
}

"$@"
