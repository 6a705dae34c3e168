"""Somebody at a browser: what is the same at all servers."""
import argparse

from web import Web, origin


def main(description, sign_in):
    """sign_in(web, url, username, password, deny) returns the address that it ended on, which was not opened."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--user", default="alice")
    parser.add_argument("--password", help="USER-password where there is none")
    parser.add_argument("--deny", action="store_true", help="give no consent")
    parser.add_argument("--print", action="store_true", dest="prints", help="print what it ends on, and do not open that")
    parser.add_argument("--cafile", help="the authorities to trust")
    parser.add_argument("url")
    options = parser.parse_args()
    web = Web(options.cafile)
    password = options.password or options.user + "-password"
    end = sign_in(web, options.url, options.user, password, options.deny)
    if options.prints:
        print(end)
    elif origin(end) != origin(options.url):
        answer = web.send("GET", end)
        print(answer.status)
        if answer.status >= 400:
            raise SystemExit(1)
