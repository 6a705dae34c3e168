#!/bin/bash
# aws gets a role by the token that "keyrack token-file" keeps in a file, and asks who it is.
set -euo pipefail

prepare() {
  mkdir -p .aws
  recipe aws >.aws/config
}

# The server takes any token, so another is asked about this one.
works() {
  [[ $(AWS_ENDPOINT_URL=http://127.0.0.1:$moto_port AWS_PROFILE=work "$venv/bin/aws" sts get-caller-identity) == \
    *:assumed-role/work/keyrack* ]] || { cat "$session_log/token-file"; return 1; }
  sed 's/.*/header = "Authorization: Bearer &"/' "$token_file" | curl -sSfK - "https://localhost:$resource_port/api"
}

"$@"
