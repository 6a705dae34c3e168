#!/usr/bin/env -S python3 -B
"""Takes mail by SMTP on 127.0.0.1, from anybody, and puts each message into a folder of its recipient.

  mail_relay.py PORT DIR

That of USER@ANYTHING is the Maildir DIR/USER. It is where dovecot.sh sends what is submitted.
"""
import mailbox
import re
import socketserver
import sys

port, directory = int(sys.argv[1]), sys.argv[2]


class Session(socketserver.StreamRequestHandler):
    def handle(self):
        try:
            self.serve()
        except ConnectionError:
            pass

    def serve(self):
        self.say("220 localhost")
        recipients = []
        for line in self.rfile:
            verb = line.split(b":")[0].strip().upper()
            if verb == b"RCPT TO":
                recipients += re.findall(rb"<([A-Za-z0-9]+)@", line)
            elif verb == b"DATA":
                self.say("354 go on")
                self.deliver(self.message(), recipients)
            elif verb == b"QUIT":
                return self.say("221 bye")
            # What Dovecot offers before it has asked here, and a client then holds to.
            self.say("250-localhost\r\n250 8BITMIME" if verb.startswith(b"EHLO") else "250 ok")

    def say(self, text):
        self.wfile.write(text.encode() + b"\r\n")

    def message(self):
        lines = iter(self.rfile.readline, b".\r\n")
        return b"".join(line.removeprefix(b".").replace(b"\r\n", b"\n") for line in lines)

    def deliver(self, message, recipients):
        while recipients:
            mailbox.Maildir("%s/%s" % (directory, recipients.pop().decode())).add(message)


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True


with Server(("127.0.0.1", port), Session) as server:
    server.serve_forever()
