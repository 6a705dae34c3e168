#!/bin/bash
# "keyrack token-file" writes a token, and removes it when it ends. The one that the clouds read runs all the time.
set -euo pipefail

prepare() { [ "$(stat -c %a "$token_file")" = 600 ]; }

works() {
  local file=$token_folder/$1 attempt status=1
  keyrack token-file work "$file" 2>said &
  for attempt in $(seq 200); do
    if [ -s "$file" ] || [ -s said ]; then break; fi
    sleep 0.05
  done
  if [ -s "$file" ]; then
    sed 's/.*/header = "Authorization: Bearer &"/' "$file" | curl -sSfK - "https://localhost:$resource_port/api" && status=0
  fi
  kill %1
  wait %1 || true
  cat said
  [ ! -e "$file" ] && return "$status"
}

"$@"
