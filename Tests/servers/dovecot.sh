#!/bin/bash
# Runs Dovecot with IMAP and submission over TLS on 127.0.0.1. It takes XOAUTH2 and OAUTHBEARER, and asks the OAuth server by
# introspection whether a token is good. The mail of USER@ANYTHING is in DIR/mail/USER, and what is submitted arrives there.
#
#   dovecot.sh DIR IMAP-PORT SUBMISSION-PORT RELAY-PORT INTROSPECTION-URL
#
# certificate.sh has made a certificate in DIR. The relay is mail_relay.py. The URL has the client and its secret in front of
# the host. Not to be run as root, whose mail it would not serve.
set -euo pipefail
dir=$1
mkdir -p "$dir"/{base,state,mail}
user=$(id -un) group=$(id -gn)

cat >"$dir/oauth2.conf" <<CONF
introspection_mode = post
introspection_url = $5
username_attribute = username
username_format = %n
active_attribute = active
active_value = true
CONF
cat >"$dir/dovecot.conf" <<CONF
base_dir = $dir/base
state_dir = $dir/state
log_path = /dev/stderr
protocols = imap submission
listen = 127.0.0.1
hostname = localhost
default_internal_user = $user
default_internal_group = $group
default_login_user = $user
ssl = required
ssl_cert = <$dir/server.pem
ssl_key = <$dir/server.key
mail_location = maildir:$dir/mail/%n
auth_mechanisms = xoauth2 oauthbearer
passdb {
  driver = oauth2
  args = $dir/oauth2.conf
}
userdb {
  driver = static
  args = uid=$user gid=$group home=$dir/mail/%n allow_all_users=yes
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = 0
  }
  inet_listener imaps {
    port = $2
    ssl = yes
  }
}
service submission-login {
  chroot =
  inet_listener submission {
    port = $3
  }
}
submission_relay_host = 127.0.0.1
submission_relay_port = $4
CONF
exec /usr/sbin/dovecot -F -c "$dir/dovecot.conf"
