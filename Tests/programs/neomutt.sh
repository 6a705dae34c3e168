#!/bin/bash
# neomutt sends a message, and saves it from the mailbox at the server into one of its own.
set -euo pipefail

prepare() {
  mkdir -p .config/neomutt
  {
    echo "set ssl_ca_certificates_file = $ca"
    recipe neomutt
  } >.config/neomutt/neomuttrc
}

works() {
  echo hello | neomutt -e 'unset record' -s "$1" alice@example.org
  has-mail "$1"
  # What it is to do, as if somebody typed that.
  local keys="<tag-pattern>~s $1<enter><tag-prefix><save-message>~/$1.mbox<enter><quit>"
  local options="-e 'unset confirmcreate confirmappend delete move wait_key' -e 'push \"$keys\"'"
  TERM=xterm script -qefc "neomutt $options" screen
  grep -q "^Subject: $1" "$1.mbox"
}

"$@"
