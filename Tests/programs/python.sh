#!/bin/bash
# Python's own modules for mail read a message and send one.
set -euo pipefail

prepare() {
  recipe python >mail.py
  cat >>mail.py <<'PYTHON'
import sys
smtp.sendmail("alice@example.org", "alice@example.org", "Subject: %s\r\n\r\nhello\r\n" % sys.argv[1])
imap.select()
found = imap.search(None, "SUBJECT", sys.argv[1])[1][0].split()
assert len(found) == 1, found
PYTHON
}

works() { /usr/bin/python3 mail.py "$1"; }

"$@"
