"""Serves the git repositories of a folder over https, by "git http-backend", to whoever has an access token.

  python git.py DIR PORT CHECK-URL

The repositories are in DIR/repositories, the certificate that certificate.sh made is in DIR. A token comes as the password of
Basic or by Bearer; it is good where a GET of CHECK-URL with it is answered by 200 and DIR/refused does not have its SHA-256.
DIR/requests gets a line for each request: method, path, what became of it and the user, and never a token.
"""
import base64
import hashlib
import http.server
import os
import ssl
import subprocess
import sys
import urllib.error
import urllib.request

folder, port, check = sys.argv[1], int(sys.argv[2]), sys.argv[3]
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
log = open(folder + "/requests", "a", buffering=1)


def is_good(token):
    if os.path.exists(folder + "/refused"):
        with open(folder + "/refused") as refused:
            if hashlib.sha256(token.encode()).hexdigest() in refused.read():
                return False
    try:
        opener.open(urllib.request.Request(check, headers={"Authorization": "Bearer " + token}), timeout=20).close()
        return True
    except urllib.error.HTTPError:
        return False


def token_of(header):
    """The user and the token; None where there is none: to begin with git sends the user of a URL alone."""
    scheme, _, rest = (header or "").partition(" ")
    if scheme.lower() == "bearer":
        return "", rest
    if scheme.lower() != "basic":
        return None
    user, _, token = base64.b64decode(rest).decode().partition(":")
    return (user, token) if token else None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def serve(self):
        body = self.body()
        who = token_of(self.headers["Authorization"])
        outcome = "anonymous" if who is None else "accepted" if is_good(who[1]) else "refused"
        log.write("%s %s %s %s\n" % (self.command, self.path, outcome, who[0] if who else "-"))
        if outcome != "accepted":
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.answer(self.backend(body, who[0]))

    do_GET = do_POST = serve

    def body(self):
        if self.headers["Transfer-Encoding"] != "chunked":
            return self.rfile.read(int(self.headers["Content-Length"] or 0))
        parts = []
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def backend(self, body, user):
        path, _, query = self.path.partition("?")
        environment = {
            "PATH": "/usr/bin:/bin", "GIT_PROJECT_ROOT": folder + "/repositories", "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_NOSYSTEM": "1", "HOME": folder,
            "REQUEST_METHOD": self.command, "PATH_INFO": path, "QUERY_STRING": query, "REMOTE_USER": user or "somebody",
            "CONTENT_TYPE": self.headers["Content-Type"] or "", "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers["Content-Encoding"] or "",
            "GIT_PROTOCOL": self.headers["Git-Protocol"] or ""}
        return subprocess.run(["git", "http-backend"], env=environment, input=body, stdout=subprocess.PIPE).stdout

    def answer(self, output):
        head, _, content = output.partition(b"\r\n\r\n")
        headers = [line.split(": ", 1) for line in head.decode().split("\r\n")]
        status = next((value for name, value in headers if name == "Status"), "200")
        self.send_response(int(status.split()[0]))
        for name, value in headers:
            if name != "Status":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    def get_request(self):
        connection, address = super().get_request()
        # The handshake is for the thread that has the connection.
        return context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), address


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(folder + "/server.pem", folder + "/server.key")
Server(("127.0.0.1", port), Handler).serve_forever()
