#!/bin/bash
# Runs glewlwyd, an OAuth 2.0 server written in C, on 127.0.0.1. It gives one-use refresh tokens, and ends the session where
# one comes twice.
#
#   glewlwyd.sh DIR PORT
#
# It speaks https where certificate.sh has made a certificate in DIR. Its configuration and its database are in DIR. glewlwyd.py then puts in there what it serves.
set -euo pipefail
dir=$1 port=$2
lib=/usr/lib/glewlwyd
scheme=http is_secure=false
if [ -e "$dir/server.pem" ]; then scheme=https is_secure=true; fi

cat >"$dir/glewlwyd.conf" <<CONF
port=$port
bind_address="127.0.0.1"
external_url="$scheme://127.0.0.1:$port"
api_prefix="api"
login_url="login.html"
log_mode="console"
log_level="WARNING"
cookie_domain="127.0.0.1"
cookie_secure=0
use_secure_connection=$is_secure
secure_connection_key_file="$dir/server.key"
secure_connection_pem_file="$dir/server.pem"
session_key="session"
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="$lib/user"
client_module_path="$lib/client"
user_auth_scheme_module_path="$lib/scheme"
plugin_module_path="$lib/plugin"
hash_algorithm="SHA256"
database = { type = "sqlite3"; path = "$dir/glewlwyd.db"; };
CONF
# Some 500 statements: without a transaction each would wait for the disk.
{ echo 'BEGIN;'; zcat /usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz; echo 'COMMIT;'; } | sqlite3 "$dir/glewlwyd.db"
exec glewlwyd -c "$dir/glewlwyd.conf"
