#!/bin/bash
# A program in Go asks on the socket: the example.
set -euo pipefail
example=$(cd "$(dirname "$0")/../../examples" && pwd)/token.go
# It compiles the example with nothing from elsewhere. It says how the example ended.
export GO111MODULE=off GOPROXY=off GOFLAGS='' CGO_ENABLED=0

prepare() {
  [ -z "$(gofmt -l "$example")" ]
  go vet "$example"
}

works() {
  local token
  token=$(go run "$example" work)
  printf 'header = "Authorization: Bearer %s"' "$token" |
    curl -sSfK - "https://localhost:$resource_port/api" | grep -qx 'hello alice'
}

"$@"
