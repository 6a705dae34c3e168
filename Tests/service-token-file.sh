# The check of service.sh that is about keyrack-token-file@.service. Sourced, not run.
# shellcheck disable=SC2154

token_file_follows_the_session() {
  local unit=keyrack-token-file@work.service file=$XDG_RUNTIME_DIR/keyrack-token/work/token process in_sight
  sign_in() {
    printf %s "$password" | keyrack login work --username alice --password-stdin 2>login.err || fail "$(cat login.err)"
  }
  sign_in
  # As for Azure.
  mkdir -p ".config/systemd/user/$unit.d"
  printf '[Service]\nEnvironment=OPTIONS=--min-valid=660\n' >".config/systemd/user/$unit.d/options.conf"
  systemctl --user daemon-reload
  systemctl --user start "$unit"
  is 'the token' "$(token)" "*\"access_token\":\"$(cat "$file")\"*"
  is 'the file and its folder' "$(stat -c %a "$file" "${file%/*}" | tr '\n' ' ')" '600 700 '
  is 'its status' "$(property "$unit" StatusText)" 'good until 20*'
  process=/proc/$(property "$unit" MainPID)
  is 'its sandbox' "$(grep -E '^(NoNewPrivs|Seccomp):' "$process/status" | tr -d '\n\t')" 'NoNewPrivs:1Seccomp:2'
  in_sight=$(tr '\0' ' ' <"$process/cmdline" && tr '\0' ' ' <"$process/environ")
  is 'its arguments and environment' "$in_sight" '*keyrack token-file --min-valid=660 work *OPTIONS=*'
  ! grep -qE '[ar]t_[0-9A-Za-z]{8}' <<<"$in_sight" || fail 'a token is in its arguments or its environment'
  is 'what its file is on' "$(stat -f -c %T "$file")" tmpfs
  systemctl --user restart keyrack.service
  keyrack logout work 2>logout.err
  until_true test ! -e "$file"
  is 'the unit without a session' "$(property "$unit" ActiveState), $(property "$unit" StatusText)" 'active, waiting: work: *'
  sign_in
  until_true test -e "$file"
  systemctl --user stop "$unit"
  is 'what is left' "$(ls -A "${file%/*/*}"), $(property "$unit" Result)" ', success'
  ok 'a token is in its file for as long as its session and its unit last'
}
