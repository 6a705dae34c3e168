#!/usr/bin/env -S python3 -B
"""Says on the socket DIR/access whether a request may go on, for the nginx of git.sh: asks the OAuth server by introspection
whether its token is good.

  git_access.py DIR INTROSPECTION-URL CLIENT:SECRET

A token whose SHA-256 is in the file DIR/refused is not. DIR/requests gets a line for each request: method, path, what became of
it and the user that came with it, and never a token.
"""
import hashlib
import http.server
import os
import socketserver
import sys

from introspection import Introspection, token_of

folder = sys.argv[1]
introspection = Introspection(*sys.argv[2:])
log = open(folder + "/requests", "a", buffering=1)


def owner(token):
    """Whose token it is; None where it is not good."""
    if os.path.exists(folder + "/refused"):
        with open(folder + "/refused") as refused:
            if hashlib.sha256(token.encode()).hexdigest() in refused.read():
                return None
    return introspection.user(token)


class Request(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        # To begin with git sends the user of a URL alone.
        user, token = token_of(self.headers["Authorization"], takes_basic=True)
        who = token and owner(token)
        outcome = "accepted" if who else "refused" if token else "anonymous"
        log.write("%s %s %s\n" % (self.headers["X-Request"], outcome, user if token and user else "-"))
        self.send_response(200 if who else 401)
        if who:
            self.send_header("X-Owner", who)
        else:
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
        self.end_headers()

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True


Server(folder + "/access", Request).serve_forever()
