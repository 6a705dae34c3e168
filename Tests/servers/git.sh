#!/bin/bash
# Serves git repositories over https on 127.0.0.1, as nginx and "git http-backend" do, to whoever has an access token. It comes
# as the password of Basic, or by Bearer; git_access.py says whether it is good.
#
#   git.sh DIR PORT INTROSPECTION-URL CLIENT:SECRET
#
# The repositories are in DIR/repositories. certificate.sh has made a certificate in DIR.
set -euo pipefail
servers=$(cd "$(dirname "$0")" && pwd)
dir=$(cd "$1" && pwd)
nginx=$(PATH=$PATH:/usr/sbin command -v nginx)
mkdir -p "$dir/nginx"

# start SOCKET COMMAND...: until nginx, which this shell becomes, ends.
start() {
  setpriv --pdeathsig TERM "${@:2}" &
  until [ -S "$1" ]; do
    kill -0 $! 2>/dev/null || { echo "git.sh: $2 does not start" >&2; exit 1; }
    sleep 0.02
  done
}

# One process, which leaves none behind however it ends.
cat >"$dir/nginx/nginx.conf" <<CONF
daemon off;
master_process off;
pid $dir/nginx/pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path $dir/nginx/body;
  proxy_temp_path $dir/nginx/proxy;
  fastcgi_temp_path $dir/nginx/fastcgi;
  uwsgi_temp_path $dir/nginx/uwsgi;
  scgi_temp_path $dir/nginx/scgi;
  server {
    listen 127.0.0.1:$2 ssl;
    ssl_certificate $dir/server.pem;
    ssl_certificate_key $dir/server.key;
    client_max_body_size 0;
    location = /access {
      internal;
      proxy_pass http://unix:$dir/access:;
      proxy_pass_request_body off;
      proxy_set_header Content-Length "";
      proxy_set_header X-Request "\$request_method \$request_uri";
    }
    location / {
      auth_request /access;
      auth_request_set \$owner \$upstream_http_x_owner;
      fastcgi_pass unix:$dir/cgi;
      fastcgi_param SCRIPT_FILENAME $(git --exec-path)/git-http-backend;
      fastcgi_param GIT_PROJECT_ROOT $dir/repositories;
      fastcgi_param GIT_HTTP_EXPORT_ALL "";
      fastcgi_param GIT_CONFIG_NOSYSTEM 1;
      fastcgi_param HOME $dir;
      fastcgi_param REMOTE_USER \$owner;
      fastcgi_param REQUEST_METHOD \$request_method;
      fastcgi_param PATH_INFO \$uri;
      fastcgi_param QUERY_STRING \$query_string;
      fastcgi_param CONTENT_TYPE \$content_type;
      fastcgi_param CONTENT_LENGTH \$content_length;
      # Not for the repositories.
      fastcgi_param HTTP_AUTHORIZATION "";
    }
  }
}
CONF
start "$dir/access" "$servers/git_access.py" "$dir" "$3" "$4"
start "$dir/cgi" /usr/sbin/fcgiwrap -f -s "unix:$dir/cgi"
exec "$nginx" -e stderr -c "$dir/nginx/nginx.conf"
