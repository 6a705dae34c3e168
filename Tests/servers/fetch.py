#!/usr/bin/env -S python3 -B
"""One request, whose answer's status and body are printed on two lines.

  fetch.py METHOD URL [--cafile FILE] [--bearer TOKEN] [--form NAME=VALUE&...]
"""
import argparse
import urllib.parse

from web import Web

parser = argparse.ArgumentParser()
for name in ("--cafile", "--bearer", "--form", "method", "url"):
    parser.add_argument(name)
options = parser.parse_args()
answer = Web(options.cafile).send(
    options.method, options.url, form=urllib.parse.parse_qsl(options.form) if options.form else None,
    headers={"Authorization": "Bearer " + options.bearer} if options.bearer else {})
print(answer.status, answer.text, sep="\n")
