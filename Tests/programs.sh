#!/bin/bash
# Has the programs that people use work with Keyrack, each by its recipe in keyrack-recipes(7), against real servers on this
# machine: glewlwyd gives the tokens; Dovecot and the others ask it whether one is good, where they would.
#
#   Tests/programs.sh [DIRECTORY [PROGRAM...]]     the folder of the built programs, else .build/release; all programs
#
# There is one sign-in. Each program of Tests/programs/ then works, watched by strace for tokens that show; works again when
# the token has expired, and fails by an error of its own and a line of Keyrack's once nobody is signed in.
# Takes about a minute. "make test-programs" installs what it needs.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checkout=$(dirname "$here")
built=$(cd "${1:-$checkout/.build/release}" && pwd)
programs=("${@:2}")
if [ ${#programs[@]} -eq 0 ]; then
  for program in "$here"/programs/*.sh; do programs+=("$(basename "$program" .sh)"); done
fi
export venv=$checkout/.build/program-venv
# Of access tokens, in seconds: half of it is longer than any program takes to use one, on a busy machine.
lifetime=14

export token_folder='' token_file=''

# shellcheck source=private-session.sh
. "$here/private-session.sh"

say() { printf '\n# %s\n' "$*"; }
fail() {
  printf 'programs.sh: %s\n' "$*" >&2
  exit 1
}
clean() {
  local result=$?
  trap - EXIT
  [ "$result" -eq 0 ] || tail -n 15 "$session_dir"/log/* >&2
  [ ! -d "$token_folder" ] || rm -r "$token_folder"
  stop_session
  exit "$result"
}

# --- The account -------------------------------------------------------------------------------------------------

sign_in() {
  mkdir -p "$XDG_CONFIG_HOME/keyrack"
  cat >"$XDG_CONFIG_HOME/keyrack/keyrack.conf" <<CONF
[provider glewlwyd]
issuer=$provider/api/oidc
client_id=keyrack-web
client_secret_command=echo web-secret
redirect_ports=$redirect_port

[account work]
provider=glewlwyd
scopes=openid;mail

$(recipe git-account)
$(recipe docker-account)
CONF
  start keyrackd keyrackd
  wait_until keyrackd answers
  BROWSER=$here/servers/browser.py keyrack login work --browser
  # On a tmpfs, as it has to be.
  token_folder=$(mktemp -d /dev/shm/keyrack.XXXXXX)
  token_file=$token_folder/keyrack-token/work/token
  mkdir -p "$(dirname "$token_file")"
  # As its unit has it.
  local command
  command=$(sed -n 's|^ExecStart=@BINDIR@/||p' "$checkout/systemd/keyrack-token-file@.service" |
    sed "s|\$OPTIONS||; s|%i|work|g; s|%t|$token_folder|")
  # shellcheck disable=SC2086
  start token-file "${watch[@]}" -o "$trace-of-file" $command
  wait_until 'the token in its file' test -s "$token_file"
}
answers() { keyrack status >"$session_dir/said" 2>&1; }

expire() {
  local token
  token=$(keyrack token work)
  # Twice the ten seconds of each.
  wait_until 'the end of the token' is_refused "$token" 2>/dev/null || wait_until 'the end of the token' is_refused "$token"
}
is_refused() {
  ! printf 'header = "Authorization: Bearer %s"\n' "$1" | curl -sfK - "https://localhost:$resource_port/api" >/dev/null
}

# --- The programs ------------------------------------------------------------------------------------------------

# each STEP WORD [WATCHED]: runs that step of each program's script. A program knows what is its own by the word.
each() {
  local name
  for name in "${programs[@]}"; do
    (cd && ${3-} "$here/programs/$name.sh" "$1" "$name-$2") >"$session_dir/said" 2>&1 </dev/null ||
      { cat "$session_dir/said"; fail "$name does not work: $1 $2"; }
    printf 'ok: %s\n' "$name"
  done
}

# Some keep to themselves what the command said, and show its status.
sign_in_line='keyrack login work|keyrack: waiting: .*not signed in|exit(ed| status| code)( with)? 3'

each_is_refused() {
  local name
  for name in "${programs[@]}"; do
    if (cd && "$here/programs/$name.sh" works "$name-out") >"$session_dir/said" 2>&1 </dev/null; then
      fail "$name works while nobody is signed in"
    fi
    printf '%s:\n' "$name"
    sed 's/^/    /' "$session_dir/said"
    grep -qE "$sign_in_line" "$session_dir/said" || fail "$name does not tell what is missing"
    # "keyrack curl" and "keyrack exec" do not come to a program.
    [[ $name = @(curl|exec|token-file) ]] || grep -qv 'keyrack: ' "$session_dir/said" || fail "$name has no error of its own"
  done
}

# --- What shows --------------------------------------------------------------------------------------------------

# A token of this server's, or "auth=Bearer eyJ" in base64, which depends on what is before it.
secret='eyJ[A-Za-z0-9_-]{20,}\.eyJ|YXV0aD1CZWFyZXIgZXlK|F1dGg9QmVhcmVyIGV5S|hdXRoPUJlYXJlciBleU'

# Writes down what is run, with its environment, and what is written where.
# Ends with a signal even while nothing happens.
watch=(strace -I 2 -f -qq -v -y -s 100000 --seccomp-bpf -e 'trace=execve,write,writev,pwrite64' -e signal=none)
watched() { "${watch[@]}" -o "$trace" -A "$@"; }
# Tokens in argument lists, environments, and files other than those that go with the session, which are not on a disk.
# The variable is the one that "keyrack exec" is to set.
shown() {
  sed -E 's/(\], \[.*)"API_TOKEN=[^"]*"/\1/' "$trace"* | grep -aE "$secret" |
    grep -aE 'execve\(|(write|writev|pwrite64)\([0-9]+</' |
    grep -avE "(write|writev|pwrite64)\([0-9]+<(/dev|$XDG_RUNTIME_DIR)/" |
    grep -aoE "^.{0,120}|.{0,60}($secret).{20}" | grep -aE "$secret" -B 1
}

nothing_shows() {
  grep -qE "write\([0-9]+<$token_folder/.*($secret)" "$trace-of-file" || fail 'what writes the file is not watched'
  if shown; then fail 'a token shows'; fi
  if grep -rlE "$secret" "$session_dir" --exclude-dir=run --exclude='trace*'; then fail 'a token is in a file'; fi
}
# What is looked for is found where it is.
find_what_shows() {
  local leak
  # shellcheck disable=SC2016
  for leak in '/bin/true "$(keyrack token work)"' '/bin/true "API_TOKEN=$(keyrack token work)"' \
    'T=$(keyrack token work) /bin/true' 'keyrack token work >"$HOME/leak"' \
    'keyrack token-file work "$HOME/leak" --once --any-filesystem'; do
    : >"$trace"
    watched sh -c "$leak"
    shown >/dev/null || fail "this would not be found: $leak"
  done
  : >"$trace"
  rm "$HOME/leak"
}

start_session
trap clean EXIT
trace=$session_dir/trace
export TMPDIR=$session_dir/tmp PATH=$here/programs:$built:$session_dir/bin:$PATH XDG_CONFIG_HOME=$HOME/.config
mkdir "$TMPDIR" "$session_dir/bin"
# As "make install" has them.
for program in git docker; do ln -s "$built/keyrack" "$session_dir/bin/$program-credential-keyrack"; done
# shellcheck source=program-servers.sh
. "$here/program-servers.sh"
start_servers
say 'One sign-in.'
sign_in
find_what_shows
each prepare -
say 'Each program does its work, and no token shows.'
each works first watched
nothing_shows
say 'The token expires. Nobody does anything about it.'
expire
each works second
say 'Nobody is signed in.'
keyrack logout work
wait_until 'the token to go from its file' test ! -e "$token_file"
each_is_refused
say "Done in $SECONDS seconds."
