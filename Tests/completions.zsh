# completions.zsh FOLDER LINE: what zsh offers at the end of the line, one a line. Completion works in an interactive shell
# only: this starts one on a terminal of its own, and shows what the completion adds.
zmodload zsh/zpty || exit 1
zpty shell zsh -f -i
read -r -d '' setup <<'SETUP'
PS1= PS2=
unsetopt beep prompt_cr prompt_sp zle_bracketed_paste 2>/dev/null
fpath=($FOLDER $fpath)
autoload -Uz compinit && compinit -u -D
bindkey '^I' complete-word
zstyle ':completion:*' completer _complete
compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
  typeset -a found
  builtin compadd -A found "$@"
  (( $#found )) && print -rl -- "<"${^found}">"
}
comppostfuncs=(finish)
finish() { print -r -- '<<end>>'; exit }
print -r -- '<<ready>>'
SETUP
print -r -- "FOLDER=${(q)1}"$'\n'"$setup" >$HOME/setup.zsh
zpty -w shell "source $HOME/setup.zsh"
zpty -r -m shell output '*<<ready>>*'
zpty -w -n shell "$2"$'\t'
zpty -r -m shell output '*<<end>>*'
zpty -d shell
print -r -- "$output" | tr -d '\r' | grep -o '<[^<>]*>' | grep -v '^<end>$' | tr -d '<>'
exit 0
