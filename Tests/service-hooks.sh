# The checks of service.sh that are about programs of the person's which the daemon runs. Sourced, not run.

# What an askpass program sees, in the unit of its own.
write_askpass() {
  cat >test/askpass <<SCRIPT
#!/bin/sh
{
  printf '%s\n' "\$1"
  echo "prompt \$SSH_ASKPASS_PROMPT, display \$DISPLAY"
  grep NoNewPrivs /proc/self/status
  cat /proc/self/cgroup
} >asked
$1
SCRIPT
  chmod 700 test/askpass
}
asks_confirmation() {
  write_configuration other work
  echo confirm=yes >>"$configuration"
  keyrack reload 2>/dev/null
}
hooks() { systemctl --user list-units --all --plain --no-legend keyrack-{askpass,client-secret}-'*.service'; }
has_no_hooks() { [ -z "$(hooks)" ]; }

person_is_asked_outside_the_sandbox() {
  local client='test/so$HOME${HOME}%h<b>' start=$SECONDS
  asks_confirmation
  [ -x /usr/bin/ssh-askpass ] || is 'without an askpass program' "$(token)" '*"reason":"no_askpass"*'
  systemctl --user set-environment "SSH_ASKPASS=$HOME/test/askpass"
  is 'without a display' "$(token)" '*"reason":"no_display"*'
  systemctl --user set-environment DISPLAY=:9
  write_askpass 'exit 0'
  cp /usr/bin/socat "$client"
  is 'the answer to a yes' \
    "$(echo '{"op":"token","account":"work"}' | "$client" -t35 - "UNIX-CONNECT:$socket")" '*"access_token":"at_*'
  is 'the program' "$(grep ^Program asked)" "Program: $PWD/"'test/so\$HOME\${HOME}%h\\u{3C}b>'
  is 'its environment' "$(grep ^prompt asked)" 'prompt confirm, display :9'
  is 'its sandbox' "$(grep NoNewPrivs asked)" 'NoNewPrivs:*0'
  is 'its unit' "$(tail -n 1 asked)" '*/keyrack-askpass-*.service'
  write_askpass 'exit 1'
  is 'the answer to a no' "$(token)" '*"reason":"not_confirmed"*'
  write_askpass 'kill $$'
  is 'the answer of one that was ended' "$(token)" '*"reason":"askpass_failed"*'
  [ $((SECONDS - start)) -lt 6 ] || fail "its questions took $((SECONDS - start)) s"
  until_true has_no_hooks
  ok 'the person is asked by a unit outside the sandbox, which knows of the display'
}

unanswered_question_goes_away() {
  write_askpass 'sleep 300'
  is 'the answer' "$(ask '{"op":"token","account":"work","timeout":1}')" '*"code":"timeout"*'
  until_true has_no_hooks
  token >unanswered &
  until_true eval '[[ $(hooks) == *running* ]]'
  systemctl --user stop "$(hooks | cut -d' ' -f1)"
  wait $!
  is 'the answer where systemd ends it' "$(cat unanswered)" '*"reason":"askpass_failed"*'
  token >unanswered &
  until_true eval '[[ $(hooks) == *running* ]]'
  systemctl --user kill --kill-whom=main -s KILL keyrack.service
  until_true has_no_hooks
  wait $! || true
  write_configuration work
  keyrack reload 2>/dev/null
  is 'the token' "$(token)" '*"access_token":"at_*'
  ok 'a question that nobody waits for goes away, and what ends it says no yes'
}

client_secret_comes_from_a_unit() {
  cat >test/client-secret <<'SCRIPT'
#!/bin/sh
cat /proc/self/cgroup >secret-unit
echo 'canary-of-a-client-secret'
SCRIPT
  chmod 700 test/client-secret
  write_configuration
  printf 'client_secret_command=%s\n[account work]\nprovider=sample\n' "$HOME/test/client-secret; exit \$?" \
    >>"$configuration"
  keyrack reload 2>/dev/null
  printf %s "$password" | keyrack login work --username alice --password-stdin 2>login.err || fail "$(cat login.err)"
  is 'the unit' "$(cat secret-unit)" '*/keyrack-client-secret-*.service'
  write_configuration work
  keyrack reload 2>/dev/null
  printf %s "$password" | keyrack login work --username alice --password-stdin 2>login.err || fail "$(cat login.err)"
  until_true has_no_hooks
  ok 'client_secret_command runs in a unit of its own'
}

event_is_handed_to_a_unit() {
  cat >test/on-event <<'SCRIPT'
#!/bin/sh
cat >event
cat /proc/self/cgroup >event-unit
SCRIPT
  chmod 700 test/on-event
  write_configuration work
  printf '[keyrack]\non_event=%s\n' "$HOME/test/on-event" >>"$configuration"
  keyrack reload 2>/dev/null
  until_true test -s event-unit
  is 'the event' "$(cat event)" '{"event":"config","at":*}'
  is 'the unit' "$(cat event-unit)" '*/keyrack-event-*.service'
  until_true has_no_hooks
  write_configuration work
  keyrack reload 2>/dev/null
  ok 'on_event is handed an event in a unit of its own'
}
