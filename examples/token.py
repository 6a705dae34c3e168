#!/usr/bin/env python3
"""Prints an access token: token.py work"""
import json
import os
import socket
import sys


def ask(**request):
    path = os.environ.get("KEYRACK_SOCKET") or os.environ["XDG_RUNTIME_DIR"] + "/keyrack/keyrack.sock"
    with socket.socket(socket.AF_UNIX) as daemon:
        daemon.settimeout(35)  # a refresh may take its time
        daemon.connect(path)
        daemon.sendall(json.dumps(request).encode() + b"\n")
        with daemon.makefile(encoding="utf-8") as lines:
            return json.loads(lines.readline())


reply = ask(op="token", account=sys.argv[1])
if reply["ok"]:
    print(reply["access_token"])
else:
    # Programs decide by the code; the message and the hint are for people.
    error = reply["error"]
    print(f"{error['code']}: {error['message']}", file=sys.stderr)
    sys.exit(3 if error["code"] == "login_required" else 1)
