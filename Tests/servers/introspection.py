"""What the servers here that take access tokens have in common."""
import base64
import http.server
import ssl

from web import Web


class Introspection:
    """Asks an OAuth server whether a token is good (RFC 7662)."""

    def __init__(self, url, client):
        """client is CLIENT:SECRET."""
        self.url = url
        self.headers = {"Authorization": "Basic " + base64.b64encode(client.encode()).decode()}

    def user(self, token):
        """Whose token it is; None where it is not good."""
        answer = Web().send("POST", self.url, form={"token": token}, headers=self.headers)
        return answer.json().get("username", "somebody") if answer.status == 200 and answer.json()["active"] else None


def token_of(header, takes_basic=False):
    """The user and the token of a header "Authorization", by Bearer or as the password of Basic; each may be ''."""
    scheme, _, rest = (header or "").partition(" ")
    if scheme.lower() == "basic" and takes_basic:
        user, _, token = base64.b64decode(rest).decode().partition(":")
        return user, token
    return "", rest if scheme.lower() == "bearer" else ""


def serve(port, directory, handler):
    """Until it is ended, over TLS, with what certificate.sh has made in the directory."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(directory + "/server.pem", directory + "/server.key")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    server.daemon_threads = True
    # The handshake is for the thread that has the connection.
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.serve_forever()
