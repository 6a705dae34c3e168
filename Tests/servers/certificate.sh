#!/bin/bash
# Has the server of DIR speak https: makes server.pem and server.key for 127.0.0.1 and localhost, and ca.pem, the authority
# that nobody knows.
#
#   certificate.sh DIR
set -euo pipefail
cd "$1"
new=(openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2)
"${new[@]}" -subj /CN=Authority -keyout ca.key -out ca.pem -addext keyUsage=critical,keyCertSign
"${new[@]}" -subj /CN=Server -keyout server.key -out server.pem -CA ca.pem -CAkey ca.key \
  -addext basicConstraints=critical,CA:FALSE -addext subjectAltName=IP:127.0.0.1,DNS:localhost
