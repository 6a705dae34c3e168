#!/usr/bin/env -S python3 -B
"""A server of resources, over TLS on 127.0.0.1, that asks the OAuth server by introspection whether a token is good.

  resource.py DIR PORT INTROSPECTION-URL CLIENT:SECRET

certificate.sh has made a certificate in DIR. There are
  /api            which greets the user of a bearer token
  /api/v1, ...    as much of Kubernetes' API as "kubectl get namespaces" asks for, with one namespace
  /v2/            an image registry with one image, app:latest, which takes a token as the password
Each request's line, status and user go to standard output.
"""
import hashlib
import http.server
import json
import sys

from introspection import Introspection, serve, token_of

directory, port = sys.argv[1], int(sys.argv[2])
introspection = Introspection(*sys.argv[3:])

KUBERNETES = {
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
    "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": [
        {"name": "namespaces", "singularName": "", "namespaced": False, "kind": "Namespace", "verbs": ["get", "list"]}]},
    "/api/v1/namespaces": {"kind": "NamespaceList", "apiVersion": "v1", "metadata": {}, "items": [
        {"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": "kitchen"}}]},
}
IMAGE = b'{"architecture":"amd64","os":"linux","rootfs":{"type":"layers","diff_ids":[]}}'
DIGEST = "sha256:" + hashlib.sha256(IMAGE).hexdigest()
IMAGE_TYPE = "application/vnd.docker.container.image.v1+json"
MANIFEST_TYPE = "application/vnd.docker.distribution.manifest.v2+json"
MANIFEST = {"schemaVersion": 2, "mediaType": MANIFEST_TYPE, "layers": [],
            "config": {"mediaType": IMAGE_TYPE, "digest": DIGEST, "size": len(IMAGE)}}


class Request(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = self.path.partition("?")[0]
        self.takes_basic = path.startswith("/v2/")
        token = token_of(self.headers["Authorization"], self.takes_basic)[1]
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.user = token and introspection.user(token)
        if not self.user:
            self.answer(401, {"kind": "Status", "status": "Failure", "code": 401, "reason": "Unauthorized"})
        elif path == "/api" and "json" not in self.headers.get("Accept", ""):
            self.answer(200, "hello %s" % self.user)
        elif path in KUBERNETES:
            self.answer(200, KUBERNETES[path])
        elif path == "/v2/":
            self.answer(200, {})
        elif path == "/v2/app/manifests/latest":
            self.answer(200, MANIFEST, MANIFEST_TYPE)
        elif path == "/v2/app/blobs/" + DIGEST:
            self.answer(200, IMAGE, IMAGE_TYPE)
        else:
            self.answer(404, {"kind": "Status", "status": "Failure", "code": 404, "reason": "NotFound"})

    do_HEAD = do_POST = do_GET

    def answer(self, status, content, kind="application/json"):
        if isinstance(content, dict):
            content = json.dumps(content)
        body = content if isinstance(content, bytes) else content.encode() + b"\n"
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Docker-Distribution-API-Version", "registry/2.0")
        if status == 401:
            self.send_header("WWW-Authenticate", ("Basic" if self.takes_basic else "Bearer") + ' realm="test"')
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        print(self.requestline, status, self.user or "nobody", flush=True)

    def log_request(self, *_):
        pass


serve(port, directory, Request)
