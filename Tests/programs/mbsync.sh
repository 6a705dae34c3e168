#!/bin/bash
# mbsync fetches a message.
set -euo pipefail

prepare() {
  recipe mbsync >.mbsyncrc
  echo "CertificateFile $ca" | sed -i '/^SSLType/r /dev/stdin' .mbsyncrc
  mkdir -p Mail/work
}

works() {
  new-mail "$1"
  mbsync work
  grep -rq "$1" Mail/work/INBOX
}

"$@"
