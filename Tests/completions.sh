#!/bin/bash
# The completions, in their shells, with a keyrack in PATH that answers as one with a daemon does.
#
#   completions.sh DIRECTORY     the folder of the built programs
#
# Each shell offers all commands and options of the help, and the names of accounts and providers; asks for nothing but lists;
# and is silent and soon done where the daemon is not there.
set -euo pipefail
cd "$(dirname "$0")/.."
programs=$(cd "$1" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOME=$folder REAL=$programs/keyrack ASKED=$folder/asked KEYRACK_SOCKET=$folder/none
export PATH=$folder/bin:$PATH TERM=dumb LC_ALL=C.UTF-8

mkdir "$folder/bin"
cat >"$folder/bin/keyrack" <<'SCRIPT'
#!/bin/sh
echo "$*" >>"$ASKED"
case "$*" in
  'account list') [ -e "$HOME/no-daemon" ] && exec "$REAL" "$@"
    printf 'NAME          PROVIDER  STATE\nhome          corp      active\njo@b.example  google    signed out (x)\n' ;;
  'provider list') [ -e "$HOME/no-daemon" ] && exec "$REAL" "$@"
    printf 'NAME             ORIGIN\ncorp             configuration\ngoogle           preset\ngoogle:personal  configuration\n' ;;
  *) exec "$REAL" "$@" ;;
esac
SCRIPT
chmod +x "$folder/bin/keyrack"
install -D -m 644 completions/keyrack.zsh "$folder/functions/_keyrack"

# in_SHELL LINE: the candidates at the end of the line, one a line, sorted.
in_bash() {
  bash --norc -c '
    . completions/keyrack.bash
    COMP_LINE=$1 COMP_POINT=${#1}
    word=${1##*[ :=]}
    _keyrack keyrack "$word" ""
    printf "%s\n" "${COMPREPLY[@]}"' bash "$1" 2>&1 | sort -u | sed '/^$/d'
}
in_fish() {
  fish --no-config -c 'source completions/keyrack.fish; complete -C $argv[1]' "$1" 2>&1 | cut -f 1 | sort -u
}
in_zsh() { zsh -f Tests/completions.zsh "$folder/functions" "$1" 2>&1 | sort -u; }

failed=0
# offers SHELL LINE CANDIDATE...
offers() {
  local shell=$1 line=$2 found expected
  shift 2
  expected=$(printf '%s\n' "$@" | sort -u | sed '/^$/d')
  found=$("in_$shell" "$line")
  [ "$found" != "$expected" ] || return 0
  printf 'completions.sh: %s: "%s": expected\n%s\nnot\n%s\n' "$shell" "$line" "$expected" "$found" >&2
  failed=1
}

names=(home jo@b.example)
providers=(corp google google:personal)
mapfile -t commands < <("$REAL" help | sed -n '/^commands:/,/^$/s/^  \(.*[a-z]\)   *.*/\1/p' | sed 's/   *.*//')
[ "${#commands[@]}" -gt 10 ] || { echo 'completions.sh: no commands in the help' >&2; exit 1; }

options_of() { "$REAL" "$@" --help | sed -n '/^options:/,/^$/s/^  \(--[a-z-]*\).*/\1/p'; }

for shell in bash fish zsh; do
  offers $shell 'keyrack ' "${commands[@]%% *}"
  offers $shell 'keyrack account ' add list remove
  for command in "${commands[@]}"; do
    # shellcheck disable=SC2046,SC2086
    offers $shell "keyrack $command --" $(options_of $command)
  done
  offers $shell 'keyrack token ' "${names[@]}"
  offers $shell 'keyrack token h' home
  offers $shell 'keyrack login --username alice ' "${names[@]}"
  offers $shell 'keyrack login --username ' ''
  offers $shell 'keyrack account remove ' "${names[@]}"
  offers $shell 'keyrack account add new --provider ' "${providers[@]}"
  offers $shell 'keyrack account add ' ''
  offers $shell 'keyrack provider show c' corp
  offers $shell 'keyrack import ' oidc-agent pizauth mutt_oauth2 oama
  offers $shell 'keyrack help conf' configuration
  offers $shell 'keyrack help rel' reload
done
offers bash 'keyrack provider secret google:p' personal
offers bash 'keyrack account add x --provider=goo' google google:personal

# Without a daemon there are no names, and nobody is told why.
touch "$folder/no-daemon"
for shell in bash fish zsh; do
  offers $shell 'keyrack token ' ''
  offers $shell 'keyrack account add x --provider ' ''
done

if grep -vE '^(account list|provider list|help|.* --help)$' "$ASKED"; then
  echo 'completions.sh: this was asked while completing' >&2
  failed=1
fi
exit $failed
