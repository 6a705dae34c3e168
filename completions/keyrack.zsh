#compdef keyrack
# Completion of keyrack for zsh. Commands and options are those of its help, names of accounts come from the daemon: where it
# does not answer there are none. Nothing that is asked here signs in to anything.

_keyrack_ask() { timeout 1 keyrack "$@" 2>/dev/null </dev/null }

# The items of a list in the help, such as "commands", as "name:what it is".
_keyrack_list() { sed -n "/^$1.*:\$/,/^\$/s/^  //p" | sed 's/:/\\:/g;s/   */:/' }

# The names in a table.
_keyrack_names() {
  local -a names
  names=(${(f)"$(_keyrack_ask $1 list | sed '1d;s/ .*//' | sort -u)"})
  compadd -a names
}

_keyrack_accounts() { _keyrack_names account }
_keyrack_providers() { _keyrack_names provider }

_keyrack_topics() {
  local -a topics
  topics=(${(f)"$(_keyrack_ask help | _keyrack_list '\(commands\|topics\)')"})
  _describe topic topics
}

# The first words of the commands, or with an argument the second ones of its group.
_keyrack_commands() {
  local -a found
  if (( $# )); then
    found=(${${(M)commands:#$1 *}#$1 })
  else
    found=(${commands:#* *:*})
    found+=(${(u)${${(M)commands:#[a-z]## [a-z]##:*}%% *}})
  fi
  _describe command found
}

_keyrack_options() {
  local command=$1 help line flag
  local -a arguments
  help=$(_keyrack_ask ${=command} --help)
  for line in ${(f)"$(_keyrack_list options <<<$help)"}; do
    flag=${line%%[ :]*}
    arguments+=("${flag}[${${line#*:}//[\[\]]/}]")
    case $line in
      --provider\ *) arguments[-1]+=':NAME:_keyrack_providers' ;;
      --[a-z-]##\ [A-Z]##:*) arguments[-1]="${flag}=${arguments[-1]#$flag}:${${line#* }%%:*}: " ;;
    esac
  done
  case $command in
    (help) arguments+=('1:topic:_keyrack_topics') ;;
    ('account add') arguments+=('1:name: ') ;;
    ('account remove') arguments+=('1:account:_keyrack_accounts') ;;
    (provider\ (show|secret)) arguments+=('1:provider:_keyrack_providers') ;;
    (import)
      arguments+=("1:program:(${(j: :)${(f)$(sed -n 's/.*keyrack import \([^ ]*\) FILE.*/\1/p' <<<$help)}})" '2:file:_files') ;;
    (token-file|curl) arguments+=('1:account:_keyrack_accounts' '2:file:_files') ;;
    (exec) arguments+=('1:account:_keyrack_accounts' '2:program:_command_names -e' '*::: :_normal') ;;
    (*) [[ ${help%%$'\n'*} != *ACCOUNT* ]] || arguments+=('1:account:_keyrack_accounts') ;;
  esac
  _arguments $arguments
}

_keyrack() {
  setopt local_options extended_glob
  local -a commands
  local command count
  commands=(${(f)"$(_keyrack_ask help | _keyrack_list commands)"})
  if (( CURRENT == 2 )); then
    _keyrack_commands
    return
  fi
  for count in 2 1; do
    command="${words[2,1 + count]}"
    (( CURRENT > count + 1 )) && (( ${commands[(I)$command:*]} )) || continue
    shift $count words
    (( CURRENT -= count ))
    _keyrack_options $command
    return
  done
  (( CURRENT == 3 )) && _keyrack_commands $words[2]
}

_keyrack "$@"
