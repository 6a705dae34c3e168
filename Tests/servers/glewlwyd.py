#!/usr/bin/env -S python3 -B
"""Makes what the tests need at a glewlwyd that glewlwyd.sh runs, over the server's own API.

  glewlwyd.py seed URL DIR SECONDS REDIRECT-PORT    all that is below, with access tokens that live for SECONDS
  glewlwyd.py sign-in URL                           signs alice in as a browser would, and prints the refresh token

The users alice, bob and carol (NAME-password), the scopes openid and mail, and two issuers, URL/api/oidc and URL/api/strict, which
takes pushed authorization requests alone. Clients, both with one-use refresh tokens: keyrack-test, which is public, and
keyrack-web with the secret web-secret. This server compares the ports of redirect URIs, too: those of both clients are
http://127.0.0.1:REDIRECT-PORT/callback/NAME with the names glewlwyd and strict.

keyrack-test is public, and this server gives the password grant to confidential clients only.
"""
import base64
import hashlib
import os
import secrets
import subprocess
import sys
import urllib.parse

from web import Web

CLIENT, REDIRECT = "keyrack-test", "http://127.0.0.1/callback"


class Session:
    """Somebody who is signed in."""

    def __init__(self, url, username, password, cafile=None):
        self.url, self.web = url, Web(cafile)
        self.call("POST", "/auth/", {"username": username, "password": password})

    def call(self, method, path, body=None, form=None):
        answer = self.web.send(method, self.url + "/api" + path, body, form)
        if answer.status not in (200, 302):
            sys.exit("%s %s: %s %s" % (method, path, answer.status, answer.text))
        return answer


def key_pair():
    """Of P-256, in PEM."""
    run = lambda *words, **more: subprocess.run(["openssl", *words], check=True, capture_output=True, **more).stdout
    private = run("ecparam", "-name", "prime256v1", "-genkey", "-noout")
    return private.decode(), run("ec", "-pubout", input=private).decode()


def client(name, port, **more):
    return {
        "client_id": name, "enabled": True, "confidential": False,
        "redirect_uri": [REDIRECT] + ["http://127.0.0.1:%d/callback/%s" % (port, at) for at in ("glewlwyd", "strict")],
        "authorization_type": ["code", "refresh_token", "device_authorization"],
        "token_endpoint_auth_method": ["none"], "refresh-token-one-use": "1", **more}


def issuer(url, name, lifetime, **more):
    private, public = key_pair()
    return {
        "module": "oidc", "name": name, "display_name": name, "order_rank": 0, "readonly": False,
        "parameters": {
            "iss": url + "/api/" + name, "oauth-as-iss-id": True,
            "jwt-type": "ecdsa", "jwt-key-size": "256", "key": private, "cert": public, "jwks-show": True, "jwks-x5c": [],
            "access-token-duration": lifetime, "refresh-token-duration": 3600, "code-duration": 60,
            "refresh-token-rolling": True, "refresh-token-one-use": "client-driven",
            "client-refresh-token-one-use-parameter": "refresh-token-one-use",
            "allow-non-oidc": True, "auth-type-code-enabled": True, "auth-type-refresh-enabled": True,
            "auth-type-token-enabled": False, "auth-type-id-token-enabled": False, "auth-type-none-enabled": False,
            "auth-type-password-enabled": False, "auth-type-client-enabled": False,
            "auth-type-device-enabled": True, "device-authorization-expiration": 60, "device-authorization-interval": 1,
            "subject-type": "public", "allowed-scope": ["openid", "mail"],
            "pkce-allowed": True, "pkce-method-plain-allowed": False, "pkce-required": True,
            "oauth-par-allowed": True, "oauth-par-required": False, "oauth-par-duration": 60,
            "oauth-par-request_uri-prefix": "urn:ietf:params:oauth:request_uri:",
            "introspection-revocation-allowed": True, "introspection-revocation-allow-target-client": True,
            "register-client-allowed": True, "register-client-auth-scope": [], "register-client-credentials-scope": [],
            "register-client-management-allowed": False, "register-default-properties": {},
            "session-management-allowed": False, "request-parameter-allow": False, **more}}


def seed(url, directory, lifetime, port):
    cafile = directory + "/ca.pem"
    admin = Session(url, "admin", "password", cafile if os.path.exists(cafile) else None)
    # Without this the module drops what it does not know of a client.
    module = admin.call("GET", "/mod/client/database").json()
    module["parameters"]["data-format"]["refresh-token-one-use"] = {"multiple": False, "read": True, "write": True}
    admin.call("PUT", "/mod/client/database", module)
    admin.call("PUT", "/mod/client/database/reset")

    admin.call("POST", "/scope/", {"name": "mail", "password_required": True, "scheme": {}})
    for name in ("alice", "bob", "carol"):
        admin.call("POST", "/user/", {
            "username": name, "password": name + "-password", "enabled": True, "scope": ["g_profile", "openid", "mail"]})
    admin.call("POST", "/client/", client(CLIENT, port))
    admin.call("POST", "/client/", client(
        "keyrack-web", port, confidential=True, client_secret="web-secret",
        token_endpoint_auth_method=["client_secret_basic", "client_secret_post"]))
    admin.call("POST", "/mod/plugin/", issuer(url, "oidc", lifetime))
    admin.call("POST", "/mod/plugin/", issuer(
        url, "strict", lifetime, **{"refresh-token-one-use": "always", "oauth-par-required": True}))


def sign_in(url):
    alice = Session(url, "alice", "alice-password")
    alice.call("PUT", "/auth/grant/" + CLIENT, {"scope": "mail"})
    verifier = secrets.token_urlsafe(32)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    target = alice.call("GET", "/oidc/auth?g_continue&" + urllib.parse.urlencode({
        "response_type": "code", "client_id": CLIENT, "redirect_uri": REDIRECT, "scope": "mail",
        "code_challenge": challenge, "code_challenge_method": "S256"})).target
    code = urllib.parse.parse_qs(urllib.parse.urlsplit(target).query).get("code")
    if not code:
        sys.exit("no code in " + target)
    tokens = alice.call("POST", "/oidc/token", form={
        "grant_type": "authorization_code", "client_id": CLIENT, "redirect_uri": REDIRECT, "code": code[0],
        "code_verifier": verifier}).json()
    print(tokens["refresh_token"])


match sys.argv[1:]:
    case ["seed", url, directory, lifetime, port]:
        seed(url, directory, int(lifetime), int(port))
    case ["sign-in", url]:
        sign_in(url)
    case _:
        sys.exit(__doc__)
