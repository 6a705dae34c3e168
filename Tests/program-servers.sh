# The servers for Tests/programs.sh, which sources this. Their ports are in the environment.

export imap_port submission_port relay_port resource_port git_port moto_port sts_port
export mail_folder=$session_dir/dovecot/mail
export session_log=$session_dir/log ca=$session_dir/server/ca.pem

# start NAME COMMAND...: until the session stops; what it says goes to $session_dir/log/NAME.
start() {
  setpriv --pdeathsig TERM "${@:2}" >>"$session_dir/log/$1" 2>&1 </dev/null &
  session_processes=($! "${session_processes[@]}")
}

listens() { (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

free_ports() {
  python3 -c '
import socket
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(9)]
print(*(one.getsockname()[1] for one in sockets))'
}

start_servers() {
  local provider_port
  read -r provider_port redirect_port imap_port submission_port relay_port resource_port git_port moto_port sts_port \
    < <(free_ports)
  provider=http://127.0.0.1:$provider_port
  local introspection=127.0.0.1:$provider_port/api/oidc/introspect
  mkdir "$session_dir"/{log,glewlwyd,server}
  "$here/servers/certificate.sh" "$session_dir/server" 2>/dev/null
  # Of curl, of what uses OpenSSL or Go, of git, and of Python's requests.
  export SSL_CERT_FILE=$ca GIT_SSL_CAINFO=$ca REQUESTS_CA_BUNDLE=$ca
  unset CURL_CA_BUNDLE SSL_CERT_DIR {http,https,all}_proxy {HTTP,HTTPS,ALL}_PROXY

  start glewlwyd "$here/servers/glewlwyd.sh" "$session_dir/glewlwyd" "$provider_port"
  wait_until glewlwyd listens "$provider_port"
  "$here/servers/glewlwyd.py" seed "$provider" "$session_dir/glewlwyd" "$lifetime" "$redirect_port"

  start resource "$here/servers/resource.py" "$session_dir/server" "$resource_port" \
    "http://$introspection" keyrack-web:web-secret
  wait_until resource.py listens "$resource_port"
  start_git "http://$introspection" keyrack-web:web-secret
  start sts "$here/servers/sts.py" "$session_dir/server" "$sts_port" "http://$introspection" keyrack-web:web-secret
  start_mail "http://keyrack-web:web-secret@$introspection"
  start moto env AWS_ACCESS_KEY_ID=any AWS_SECRET_ACCESS_KEY=any "$venv/bin/python" -m moto.server -p "$moto_port"
  local port
  for port in "$relay_port" "$imap_port" "$submission_port" "$git_port" "$moto_port" "$sts_port"; do
    wait_until "port $port" listens "$port"
  done
}

start_git() {
  cp -r "$session_dir/server" "$session_dir/git"
  git init -q --bare "$session_dir/git/repositories/kitchen"
  start git "$here/servers/git.sh" "$session_dir/git" "$git_port" "$@"
}

# Dovecot does not serve root's mail. The scripts may be where nobody else can read them.
start_mail() {
  local dir=$session_dir/dovecot as_user=()
  cp -r "$session_dir/server" "$dir"
  if [ "$(id -u)" = 0 ]; then
    as_user=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
    chown -R nobody:nogroup "$dir"
    chmod 711 "$session_dir"
  fi
  start mail_relay "${as_user[@]}" /usr/bin/python3 -c "$(cat "$here/servers/mail_relay.py")" "$relay_port" "$dir/mail"
  start dovecot "${as_user[@]}" bash -c "$(cat "$here/servers/dovecot.sh")" dovecot.sh \
    "$dir" "$imap_port" "$submission_port" "$relay_port" "$1"
}
