"""How the scripts here ask a server: without a proxy, with cookies, and not going where an answer sends them."""
import http.cookiejar
import json
import ssl
import urllib.error
import urllib.parse
import urllib.request


class KeepRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Answer:
    def __init__(self, url, answer):
        self.status = answer.status
        self.text = answer.read().decode(errors="replace")
        location = answer.headers["Location"]
        self.target = urllib.parse.urljoin(url, location) if location and self.status in (301, 302, 303, 307) else None

    def json(self):
        return json.loads(self.text) if self.text else None


class Web:
    def __init__(self, cafile=None):
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), KeepRedirect,
            urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()),
            urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=cafile)))

    def send(self, method, url, body=None, form=None, headers={}):
        request = urllib.request.Request(url, method=method, headers=headers)
        if body is not None:
            request.add_header("Content-Type", "application/json")
            request.data = json.dumps(body).encode()
        if form is not None:
            request.data = urllib.parse.urlencode(form).encode()
        try:
            return Answer(url, self.opener.open(request, timeout=20))
        except urllib.error.HTTPError as error:
            return Answer(url, error)


def query(url):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query, keep_blank_values=True))


def origin(url):
    return urllib.parse.urlsplit(url)[:2]
