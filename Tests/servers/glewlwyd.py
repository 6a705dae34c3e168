#!/usr/bin/env python3
"""Makes what the tests need at a glewlwyd that glewlwyd.sh runs, over the server's own API.

  glewlwyd.py seed URL SECONDS    the user alice, the scope mail, access tokens that live for SECONDS, and the public client
                                  keyrack-test with one-use refresh tokens
  glewlwyd.py sign-in URL         signs alice in as a browser would, and prints the refresh token

keyrack-test is public, and this server gives the password grant to confidential clients only.
"""
import base64
import hashlib
import json
import secrets
import sys
import urllib.error
import urllib.parse
import urllib.request

CLIENT, REDIRECT = "keyrack-test", "http://127.0.0.1/callback"


class KeepRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Session:
    """Somebody who is signed in."""

    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), KeepRedirect)

    def __init__(self, url, username, password):
        self.url, self.cookie = url, None
        headers, _ = self.call("POST", "/auth/", {"username": username, "password": password})
        self.cookie = headers["Set-Cookie"].split(";")[0]

    def call(self, method, path, body=None, form=None):
        request = urllib.request.Request(self.url + "/api" + path, method=method)
        if self.cookie:
            request.add_header("Cookie", self.cookie)
        if body is not None:
            request.add_header("Content-Type", "application/json")
            request.data = json.dumps(body).encode()
        if form is not None:
            request.data = urllib.parse.urlencode(form).encode()
        try:
            answer = self.opener.open(request, timeout=20)
        except urllib.error.HTTPError as error:
            if error.code != 302:
                sys.exit("%s %s: %s %s" % (method, path, error.code, error.read().decode(errors="replace")))
            answer = error
        text = answer.read()
        return answer.headers, json.loads(text) if text else None


def seed(url, lifetime):
    admin = Session(url, "admin", "password")
    # Without this the module drops what it does not know of a client.
    _, module = admin.call("GET", "/mod/client/database")
    module["parameters"]["data-format"]["refresh-token-one-use"] = {"multiple": False, "read": True, "write": True}
    admin.call("PUT", "/mod/client/database", module)
    admin.call("PUT", "/mod/client/database/reset")

    admin.call("POST", "/scope/", {"name": "mail", "password_required": True, "scheme": {}})
    admin.call("POST", "/user/", {
        "username": "alice", "password": "alice-password", "enabled": True, "scope": ["g_profile", "mail"]})
    admin.call("POST", "/client/", {
        "client_id": CLIENT, "enabled": True, "confidential": False, "redirect_uri": [REDIRECT],
        "authorization_type": ["code", "refresh_token"], "token_endpoint_auth_method": ["none"],
        "refresh-token-one-use": "1"})
    admin.call("POST", "/mod/plugin/", {
        "module": "oidc", "name": "oidc", "display_name": "oidc", "order_rank": 0, "readonly": False,
        "parameters": {
            "iss": url + "/api/oidc", "jwt-type": "sha", "jwt-key-size": "256", "key": "signs test tokens only",
            "access-token-duration": lifetime, "refresh-token-duration": 3600, "code-duration": 60,
            "refresh-token-rolling": True, "refresh-token-one-use": "client-driven",
            "client-refresh-token-one-use-parameter": "refresh-token-one-use",
            "allow-non-oidc": True, "auth-type-code-enabled": True, "auth-type-refresh-enabled": True,
            "auth-type-token-enabled": False, "auth-type-id-token-enabled": False, "auth-type-none-enabled": False,
            "auth-type-password-enabled": False, "auth-type-client-enabled": False,
            "auth-type-device-enabled": False, "subject-type": "public", "allowed-scope": ["openid", "mail"],
            "pkce-allowed": True, "pkce-method-plain-allowed": False,
            "introspection-revocation-allowed": True, "introspection-revocation-allow-target-client": True,
            "register-client-allowed": False, "session-management-allowed": False, "request-parameter-allow": False}})


def sign_in(url):
    alice = Session(url, "alice", "alice-password")
    alice.call("PUT", "/auth/grant/" + CLIENT, {"scope": "mail"})
    verifier = secrets.token_urlsafe(32)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    headers, _ = alice.call("GET", "/oidc/auth?g_continue&" + urllib.parse.urlencode({
        "response_type": "code", "client_id": CLIENT, "redirect_uri": REDIRECT, "scope": "mail",
        "code_challenge": challenge, "code_challenge_method": "S256"}))
    code = urllib.parse.parse_qs(urllib.parse.urlsplit(headers["Location"]).query).get("code")
    if not code:
        sys.exit("no code in " + headers["Location"])
    _, tokens = alice.call("POST", "/oidc/token", form={
        "grant_type": "authorization_code", "client_id": CLIENT, "redirect_uri": REDIRECT, "code": code[0],
        "code_verifier": verifier})
    print(tokens["refresh_token"])


match sys.argv[1:]:
    case ["seed", url, lifetime]:
        seed(url, int(lifetime))
    case ["sign-in", url]:
        sign_in(url)
    case _:
        sys.exit("usage: glewlwyd.py seed URL SECONDS | sign-in URL")
