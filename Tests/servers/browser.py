#!/usr/bin/env -S python3 -B
"""Somebody at a browser who signs in at glewlwyd, by a URL of its authorization endpoint or by one that approves a device.

  browser.py [--user NAME] [--password TEXT] [--deny] [--print] [--cafile FILE] URL

It is the page itself that talks to the server, by its API: that is what is done here. This server has no way to say no: who
denies is granted openid alone.
"""
import urllib.parse

from person import main
from web import query


def sign_in(web, url, username, password, deny):
    base = urllib.parse.urljoin(url, "/")
    answer = web.send("POST", base + "api/auth/", {"username": username, "password": password})
    if answer.status != 200:
        raise SystemExit("the server does not know %s: %s" % (username, answer.status))
    for _ in range(4):
        answer = web.send("GET", url)
        if not answer.target:
            raise SystemExit("no redirect from %s: %s %s" % (url, answer.status, answer.text[:200]))
        page = query(answer.target)
        if "/login.html" not in answer.target or page.get("prompt") == "deviceComplete":
            return answer.target
        if "client_id" not in page or "error" in page:
            raise SystemExit("the page says " + answer.target)
        scope = "" if deny else page.get("scope", "openid")
        granted = web.send("PUT", base + "api/auth/grant/" + urllib.parse.quote(page["client_id"]), {"scope": scope})
        if granted.status != 200:
            raise SystemExit("no consent: %s %s" % (granted.status, granted.text))
        url = page["callback_url"]
        if "g_continue" not in url:
            url += ("&" if "?" in url else "?") + "g_continue"
    raise SystemExit("the page keeps coming back: " + url)


main(__doc__, sign_in)
