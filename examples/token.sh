#!/bin/sh
# Prints an access token: token.sh work
#
# Needs socat, and no keyrack. It knows no escapes: a token with a quotation mark is not for it.
socket=${KEYRACK_SOCKET:-$XDG_RUNTIME_DIR/keyrack/keyrack.sock}
reply=$(printf '{"op":"token","account":"%s"}\n' "$1" | socat -t35 - "UNIX-CONNECT:$socket") || exit 7

member() { printf '%s\n' "$reply" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }

case $reply in
  '{"ok":true,'*) member access_token ;;
  *)
    echo "$(member code): $(member message)" >&2
    case $reply in *'"login_required"'*) exit 3 ;; esac
    exit 1
    ;;
esac
