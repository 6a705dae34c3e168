# The checks of service.sh that are about other machines and containers: the recipes of keyrackd(8). Sourced, not run.

# --- As root, before the user manager starts --------------------------------------------------------------------

# An ssh server of the tests' own. Where there is none, the program alone is fetched: the package would open a port.
find_sshd() {
  sshd=/usr/sbin/sshd
  [ ! -x "$sshd" ] || return 0
  local folder=$checkout/.build/openssh
  sshd=$folder/usr/sbin/sshd
  [ -x "$sshd" ] || {
    mkdir -p "$folder"
    (cd "$folder" && apt-get -qq download openssh-server libwrap0 && for package in *.deb; do dpkg-deb -x "$package" .; done)
  } >/dev/null 2>&1
  libraries=$(echo "$folder"/usr/lib/*-linux-gnu)
  # The user that it has for what nobody trusts yet.
  grep -q '^sshd:' /etc/passwd || echo 'sshd:x:59358:65534::/run/sshd:/usr/sbin/nologin' >>/etc/passwd
  ! LD_LIBRARY_PATH=$libraries ldd "$sshd" 2>&1 | grep -q 'not '
}

prepare_sshd() {
  local home=$1 folder=/run/sshd-test sshd libraries='' port
  command -v ssh-keygen >/dev/null && find_sshd || return 0
  mkdir -p "$folder" "$home/.ssh"
  # Its own, as the namespaces have no network of theirs.
  mkdir -p /run/sshd
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  ssh-keygen -q -t ed25519 -N '' -f "$folder/host"
  ssh-keygen -q -t ed25519 -N '' -f "$home/.ssh/id"
  printf '%s\n' "ListenAddress 127.0.0.1:$port" "HostKey $folder/host" 'UsePAM no' 'StrictModes no' 'PidFile none' \
    "AuthorizedKeysFile $home/.ssh/id.pub" 'StreamLocalBindUnlink yes' >"$folder/config"
  # The machine that the socket is forwarded to, and that forwards it.
  printf '%s\n' 'Host build back' '  HostName 127.0.0.1' "  Port $port" "  IdentityFile $home/.ssh/id" \
    "  UserKnownHostsFile $home/.ssh/known" >"$home/.ssh/config"
  echo "[127.0.0.1]:$port $(cat "$folder/host.pub")" >"$home/.ssh/known"
  chown -R --reference="$home" "$home/.ssh"
  LD_LIBRARY_PATH=$libraries "$sshd" -f "$folder/config" -E "$folder/log"
}

# --- As the user ------------------------------------------------------------------------------------------------

# ask_there SOCKET: what a program gets that knows that socket.
ask_there() { printf '{"op":"token","account":"work"}\n' | socat -t35 - "UNIX-CONNECT:$1"; }
allows() {
  write_configuration other work
  printf 'allow=%s\n' "$1" >>"$configuration"
  keyrack reload 2>/dev/null
}

socket_is_forwarded_by_ssh() {
  if [ ! -e .ssh/config ]; then echo 'skipped: no ssh server could be had'; return; fi
  mkdir -p there
  # Unlike the recipe's, these paths are of one machine.
  # shellcheck disable=SC2016
  printf 'Host build\n  RemoteForward %s/there/keyrack.sock ${XDG_RUNTIME_DIR}/keyrack/keyrack.sock\n' "$HOME" >>.ssh/config
  echo '  ExitOnForwardFailure yes' >>.ssh/config
  # Left by a connection that broke off.
  python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("there/keyrack.sock")'
  ssh -N build 2>ssh.err &
  local forward=$!
  until_true socat -u OPEN:/dev/null UNIX-CONNECT:there/keyrack.sock
  is 'the token over there' "$(KEYRACK_SOCKET=$HOME/there/keyrack.sock keyrack token work)" 'at_*'
  allows "exe:/usr/bin/keyrack"
  is 'there, where ssh is not allowed' "$(ask_there there/keyrack.sock)" '*"reason":"not_allowed"*'
  allows 'exe:/usr/bin/ssh'
  is 'there, where it is' "$(ask_there there/keyrack.sock)" '*"access_token":"at_*'
  kill "$forward"
  wait "$forward" 2>/dev/null || true
  write_configuration work
  keyrack reload 2>/dev/null
  # The other direction.
  ssh -N -L "$HOME/there/local.sock:$socket" back 2>>ssh.err &
  forward=$!
  until_true test -S there/local.sock
  is 'through the ssh server' "$(ask_there there/local.sock)" '*"reason":"unknown_program"*'
  kill "$forward"
  wait "$forward" 2>/dev/null || true
  ok 'ssh forwards the socket, and the daemon takes whoever asks there for ssh'
}

# The recipe's, with the programs of this machine; its control groups have no controllers where those of version 1 have them.
in_container() {
  # Of the names that it makes up one may look like a token in the journal: upbeat_goldberg.
  podman run --rm --name=keyrack-test --network=none --log-driver=none --pids-limit=0 -v /usr:/usr:ro \
    -v "$XDG_RUNTIME_DIR/keyrack:/run/keyrack" -e KEYRACK_SOCKET=/run/keyrack/keyrack.sock "$@" 2>&1
}
make_image() {
  mkdir -p image/{usr,proc,sys,dev,run,etc,tmp}
  local folder
  for folder in bin lib lib64; do ln -s "usr/$folder" image; done
  tar -C image -c . | podman import - image
}

# Without root podman runs its helpers in a namespace of its own, which is a unit of its own here.
podman_asks_by_the_helper() {
  local registry=registry.example.org allow
  if ! podman version >/dev/null 2>podman.log; then
    echo "skipped: podman does not run here: $(tail -n 1 podman.log)"
    return
  fi
  mkdir -p .config/containers
  printf '{"credHelpers": {"%s": "keyrack"}}\n' "$registry" >.config/containers/auth.json
  is 'the name for podman' "$(podman login --get-login "$registry" 2>&1)" '*sandboxed program*allow=exe:/\*;unit:podman-\* *'
  allow=$(sed -n 's/^allow=//p' test/keyrack-recipes.7)
  allows "$allow"
  printf '[use docker %s]\naccount=work\n' "$registry" >>"$configuration"
  keyrack reload 2>/dev/null
  is 'the name for podman' "$(podman login --get-login "$registry" 2>&1)" oauth2
  is 'the token for others' "$(token)" '*"access_token":"at_*'
  rm -r .config/containers
  write_configuration work
  keyrack reload 2>/dev/null
  ok "podman's own helper gets nothing unless its unit is listed"
}

socket_is_mounted_into_a_container() {
  if ! make_image >image.log 2>&1 || ! in_container image true >>image.log; then
    echo "skipped: podman does not run here: $(tail -n 1 image.log)"
    return
  fi
  is 'the answer in a container' "$(in_container image keyrack token work)" '*sandboxed*unit:libpod-*'
  allows 'unit:libpod-*;exe:/usr/bin/keyrack'
  is 'its root' "$(in_container image keyrack token work)" 'at_*'
  is 'the user in it' "$(in_container --userns=keep-id image keyrack token work)" 'at_*'
  is 'another user in it' "$(in_container --user 1 image keyrack token work)" '*ermission denied*'
  systemctl --user stop keyrack.service keyrack.socket
  in_container image bash -c 'until keyrack token work; do sleep 0.05; done 2>/dev/null' >waiting.out & local waiting=$!
  systemctl --user start keyrack.socket
  wait "$waiting"
  is 'what was started before the socket' "$(cat waiting.out)" 'at_*'
  write_configuration work
  keyrack reload 2>/dev/null
  ok 'a container of podman gets nothing through a mounted socket unless its unit is listed'
}
