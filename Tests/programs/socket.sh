#!/bin/bash
# Programs of one's own, in C and in Python, ask on the socket.
set -euo pipefail

prepare() {
  recipe socket-c >token.c
  cc -Wall -Wextra -Werror -o token token.c -ljansson
  recipe socket-python >token.py
  printf 'print(token("work"))\n' >>token.py
}

greets() { sed 's/^/Authorization: Bearer /' | curl -sSfH @- "https://localhost:$resource_port/api"; }

works() {
  ./token | greets
  /usr/bin/python3 token.py | greets
}

"$@"
