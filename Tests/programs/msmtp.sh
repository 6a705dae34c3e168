#!/bin/bash
# msmtp sends a message.
set -euo pipefail

prepare() {
  { echo "defaults"; echo "tls_trust_file $ca"; recipe msmtp; } >.msmtprc
}

works() {
  printf 'From: alice@example.org\nTo: alice@example.org\nSubject: %s\n\nhello\n' "$1" | msmtp alice@example.org
  has-mail "$1"
}

"$@"
