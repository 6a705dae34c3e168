#!/bin/bash
# himalaya itself is in neither Debian nor PyPI. Its configuration is read as TOML here, its commands are run as it would, and
# the servers that it names take what they print.
set -euo pipefail

prepare() {
  mkdir -p .config/himalaya
  recipe himalaya >.config/himalaya/config.toml
  cat >himalaya.py <<'PYTHON'
import imaplib, smtplib, ssl, subprocess, sys, tomllib, urllib.parse

with open(".config/himalaya/config.toml", "rb") as file:
    account = tomllib.load(file)["accounts"]["work"]
tls = ssl.create_default_context()


def server(backend):
    url = urllib.parse.urlsplit(backend["server"])
    return url.scheme, url.hostname, url.port


def message(backend):
    """RFC 7628, with a token of the command: a list of words, or what a shell reads."""
    sasl = backend["sasl"]["oauthbearer"]
    command = sasl["token"]["command"]
    token = subprocess.run(
        command, shell=isinstance(command, str), check=True, stdout=subprocess.PIPE, text=True).stdout.rstrip("\n")
    _, host, port = server(backend)
    return "n,a=%s,\1host=%s\1port=%d\1auth=Bearer %s\1\1" % (sasl["username"], host, port, token)


scheme, host, port = server(account["imap"])
assert scheme == "imaps"
imap = imaplib.IMAP4_SSL(host, port, ssl_context=tls)
imap.authenticate("OAUTHBEARER", lambda _: message(account["imap"]).encode())
imap.select()
assert imap.search(None, "SUBJECT", "in-" + sys.argv[1])[1] != [b""]

scheme, host, port = server(account["smtp"])
assert scheme == "smtp" and account["smtp"]["starttls"]
smtp = smtplib.SMTP(host, port)
smtp.starttls(context=tls)
smtp.ehlo()
smtp.auth("OAUTHBEARER", lambda challenge=None: message(account["smtp"]) if challenge is None else "\1")
smtp.sendmail("alice@example.org", "alice@example.org", "Subject: out-%s\r\n\r\nhello\r\n" % sys.argv[1])
PYTHON
}

works() {
  new-mail "in-$1"
  /usr/bin/python3 himalaya.py "$1"
  has-mail "out-$1"
}

"$@"
