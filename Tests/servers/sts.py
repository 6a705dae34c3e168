#!/usr/bin/env -S python3 -B
"""Plays the token services of Azure and of Google, over TLS on 127.0.0.1. They trade a token of the OAuth server, which they
ask by introspection whether it is good, for one of their own.

  sts.py DIR PORT INTROSPECTION-URL CLIENT:SECRET

certificate.sh has made a certificate in DIR. There are
  /TENANT/oauth2/v2.0/token      Azure's: client credentials with an assertion (RFC 7523), and the metadata that leads there
  /v1/token                      Google's: token exchange (RFC 8693)
  /v1/projects/-/serviceAccounts/NAME:generateAccessToken
                                 which gives whoever comes with that one a token of a service account
Each request's line and status go to standard output.
"""
import http.server
import json
import secrets
import sys
import time
import urllib.parse

from introspection import Introspection, serve, token_of

directory, port = sys.argv[1], int(sys.argv[2])
introspection = Introspection(*sys.argv[3:])
TOKEN_TYPES = ["urn:ietf:params:oauth:token-type:" + kind for kind in ("jwt", "id_token", "access_token")]
federated = set()


def refusal(why):
    return 400, {"error": "invalid_grant", "error_description": why}


def metadata(tenant):
    base = "https://localhost:%d/%s" % (port, tenant)
    return 200, {"issuer": base + "/v2.0", "authorization_endpoint": base + "/oauth2/v2.0/authorize",
                 "token_endpoint": base + "/oauth2/v2.0/token"}


def azure(form):
    wanted = {"grant_type": "client_credentials", "client_id": "CLIENT", "scope": "https://management.azure.com/.default",
              "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}
    for name, value in wanted.items():
        if form.get(name) != value:
            return refusal("%s is %s" % (name, form.get(name)))
    user = introspection.user(form.get("client_assertion", ""))
    if not user:
        return refusal("the assertion is not good")
    return 200, {"token_type": "Bearer", "expires_in": 3600, "access_token": "azure-of-" + user}


def google(form):
    if form.get("grant_type") != "urn:ietf:params:oauth:grant-type:token-exchange":
        return refusal("grant_type is %s" % form.get("grant_type"))
    if form.get("subject_token_type") not in TOKEN_TYPES:
        return refusal("subject_token_type is %s" % form.get("subject_token_type"))
    if not form.get("audience", "").startswith("//iam.googleapis.com/projects/"):
        return refusal("audience is %s" % form.get("audience"))
    if not introspection.user(form.get("subject_token", "")):
        return refusal("the subject token is not good")
    token = secrets.token_urlsafe()
    federated.add(token)
    return 200, {"token_type": "Bearer", "expires_in": 3600, "access_token": token,
                 "issued_token_type": "urn:ietf:params:oauth:token-type:access_token"}


def service_account(path, token):
    if token not in federated:
        return 401, {"error": {"code": 401, "status": "UNAUTHENTICATED", "message": "not a token of this service's"}}
    name = path.rpartition("/")[2].partition(":")[0]
    expiry = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))
    return 200, {"accessToken": "google-of-" + name, "expireTime": expiry}


class Request(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        tenant, _, rest = self.path[1:].partition("/")
        self.answer(*metadata(tenant) if rest == "v2.0/.well-known/openid-configuration" else (404, {}))

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = dict(urllib.parse.parse_qsl(body))
        if self.path == "/TENANT/oauth2/v2.0/token":
            self.answer(*azure(form))
        elif self.path == "/v1/token":
            self.answer(*google(form))
        elif self.path.endswith(":generateAccessToken"):
            self.answer(*service_account(self.path, token_of(self.headers["Authorization"])[1]))
        else:
            self.answer(404, {})

    def answer(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        print(self.requestline, status, content.get("error_description", ""), flush=True)

    def log_request(self, *_):
        pass


serve(port, directory, Request)
