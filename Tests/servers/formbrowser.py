#!/usr/bin/env -S python3 -B
"""Somebody at a browser who signs in at a server whose pages are forms, as django-oauth-toolkit's are, or approves a device.

  formbrowser.py [--user NAME] [--password TEXT] [--deny] [--print] [--cafile FILE] URL

It fills in each form that it meets, and stops where the server sends it elsewhere or shows a page without a form.
"""
import html.parser
import urllib.parse

from person import main
from web import origin, query


class Form(html.parser.HTMLParser):
    """The first form of a page."""

    def __init__(self, page):
        super().__init__()
        self.action, self.fields, self.buttons, self.is_inside = None, {}, [], False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        values = {name: value or "" for name, value in attributes}
        kind, name, value = values.get("type"), values.get("name"), values.get("value", "")
        if tag == "form" and self.action is None:
            self.action, self.is_inside = values.get("action", ""), True
        elif self.is_inside and (tag == "button" or kind == "submit"):
            self.buttons.append((name, value))
        elif self.is_inside and tag == "input" and name:
            self.fields[name] = value

    def handle_endtag(self, tag):
        if tag == "form":
            self.is_inside = False

    def press(self, deny):
        """Adds what the button says: that of consent, of denial, or the only one."""
        for name, value in self.buttons:
            if name and (value.lower() in ("deny", "cancel")) == deny:
                self.fields[name] = value


def sign_in(web, url, username, password, deny):
    start, form = url, None
    answers = {"username": username, "password": password, "user_code": query(url).get("user_code", "")}
    for _ in range(12):
        answer = web.send("POST" if form else "GET", url, form=form, headers={"Referer": url})
        form = None
        if answer.target:
            url = answer.target
            if origin(url) != origin(start):
                return url
            continue
        if answer.status >= 400:
            raise SystemExit("%s: %s %s" % (url, answer.status, answer.text[:200]))
        page = Form(answer.text)
        if page.action is None:
            return url
        for name in answers.keys() & page.fields.keys():
            page.fields[name] = answers[name]
        page.press(deny)
        url, form = urllib.parse.urljoin(url, page.action), page.fields
    raise SystemExit("the pages do not end: " + url)


main(__doc__, sign_in)
