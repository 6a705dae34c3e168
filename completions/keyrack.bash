# shellcheck shell=bash
# Completion of keyrack for bash. Commands and options are those of its help, names of accounts come from the daemon: where it
# does not answer there are none. Nothing that is asked here signs in to anything.

_keyrack_ask() { timeout 1 keyrack "$@" 2>/dev/null </dev/null; }

# The first words of a list in the help, such as "commands".
_keyrack_list() { sed -n "/^$1.*:\$/,/^\$/s/^  //p"; }

# The names in a table.
_keyrack_names() { _keyrack_ask "$1" list | sed '1d;s/ .*//'; }

_keyrack_commands() { _keyrack_ask help | _keyrack_list "${1-commands}" | sed 's/  .*//'; }

# _keyrack_operands COMMAND USAGE COUNT: what may follow so many operands.
_keyrack_operands() {
  case $1:$3 in
    help:0) _keyrack_commands '\(commands\|topics\)' ;;
    'account add':*) ;;
    'account remove':0) _keyrack_names account ;;
    'provider show':0 | 'provider secret':0) _keyrack_names provider ;;
    import:0) sed -n 's/.*keyrack import \([^ ]*\) FILE.*/\1/p' <<<"$2" ;;
    *:0) [[ ${2%%$'\n'*} != *ACCOUNT* ]] || _keyrack_names account ;;
  esac
}

# _keyrack_candidates WORD...: for the last of these words, which follow "keyrack".
_keyrack_candidates() {
  local current=${*: -1} previous=${*: -2:1} commands command='' help options word count=0 value=
  local -a operands=()
  for word in "${@:1:$#-1}"; do [[ $word == -* ]] || operands+=("$word"); done
  commands=$'\n'$(_keyrack_commands)$'\n'
  for word in "${operands[0]-}" "${operands[*]:0:2}"; do
    [[ -z $word || $commands != *$'\n'"$word"$'\n'* ]] || command=$word
  done
  if [ -z "$command" ]; then
    case ${#operands[@]} in
      0) sed 's/ .*//' <<<"$commands" ;;
      1) sed -n "s/^${operands[0]//[^a-z]/.} //p" <<<"$commands" ;;
    esac
    return
  fi
  # The command is a word or two.
  # shellcheck disable=SC2086
  help=$(_keyrack_ask $command --help)
  options=$(_keyrack_list options <<<"$help")
  if [[ $current == --*=* ]]; then previous=${current%%=*} current=${current#*=}; fi
  if grep -q "^$previous [A-Z]" <<<"$options"; then
    if [ "$previous" = --provider ]; then _keyrack_names provider; fi
  elif [[ $current == -* ]]; then
    sed 's/ .*//' <<<"$options"
  else
    for word in "${@:1:$#-1}"; do
      if [ -n "$value" ]; then value=; elif [[ $word != -* ]]; then count=$((count + 1)); fi
      if [[ $word == --* ]] && grep -q "^$word [A-Z]" <<<"$options"; then value=1; fi
    done
    count=$((count - $(wc -w <<<"$command")))
    _keyrack_operands "$command" "$help" "$count"
  fi
}

_keyrack() {
  local line=${COMP_LINE:0:COMP_POINT} current candidate
  local -a words
  read -ra words <<<"$line"
  [[ $line != *[[:space:]] ]] || words+=('')
  current=${words[-1]}
  [[ $current != --*=* ]] || current=${current#*=}
  COMPREPLY=()
  while read -r candidate; do
    # Of a word with a colon in it readline completes what is behind that.
    [[ -z $candidate || $candidate != "$current"* ]] || COMPREPLY+=("${candidate#"${current%"$2"}"}")
  done < <(_keyrack_candidates "${words[@]:1}" | sort -u)
  # The second operand of these is a file; what follows the account of others belongs to another program.
  if [[ ${words[*]:1} =~ ^(import|token-file|exec|curl)\ [^\ -][^\ ]*\ [^\ -]*$ ]]; then compopt -o default; fi
}

complete -F _keyrack keyrack
