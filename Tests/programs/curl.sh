#!/bin/bash
# curl asks an API and reads mail.
set -euo pipefail

prepare() {
  recipe curl >ask-api
  recipe curl-mail >read-mail
}

works() {
  [ "$(bash ask-api)" = 'hello alice' ]
  new-mail "$1"
  bash read-mail | grep -q "^Subject: $1"
}

"$@"
