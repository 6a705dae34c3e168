# The checks of service.sh that are about a keyring without a person: the recipes of keyrackd(8). Sourced, not run.

# --- As root, before the user manager starts --------------------------------------------------------------------

# A credential of the user's manager, encrypted by a key of the machine, and the same in a file of the user's.
prepare_credential() {
  local home=$1 id
  id=$(stat -c %u "$home")
  mkdir -p "$home/.config/keyrack" "/etc/systemd/system/user@$id.service.d"
  (umask 077 && head -c 32 /dev/urandom | base64 >"$home/.config/keyrack/keyring-password")
  systemd-creds encrypt --with-key=host --name=keyring-password "$home/.config/keyrack/keyring-password" \
    /etc/keyring-password.cred 2>/run/credential.log || { cat /run/credential.log >&2; return 1; }
  printf '[Service]\nLoadCredentialEncrypted=keyring-password:/etc/keyring-password.cred\n' \
    >"/etc/systemd/system/user@$id.service.d/keyring.conf"
}

# --- As the user ------------------------------------------------------------------------------------------------

start_keyring() {
  systemctl --user daemon-reload
  systemctl --user --quiet enable --now keyrack-headless-keyring.service
  is 'the keyring that would come first' "$(property gnome-keyring-daemon.socket ActiveState)" inactive
}
restart_keyring() {
  systemctl --user daemon-reload
  systemctl --user restart keyrack-headless-keyring.service keyrack.service
}

keyring_password_may_be_encrypted() {
  local folder=$HOME/.config/systemd/user/keyrack-headless-keyring.service.d
  mv .config/keyrack/keyring-password keyring-password
  mkdir -p "$folder"
  printf '[Service]\nLoadCredential=\nLoadCredential=keyring-password\n' >"$folder/credential.conf"
  restart_keyring
  is 'the token of a keyring with an encrypted password' "$(token)" '*"access_token":"at_*'
  ! grep -qF "$(cat keyring-password)" /etc/keyring-password.cred || fail 'the password is in the file'
  rm -r "$folder"
  mv keyring-password .config/keyrack/keyring-password
  restart_keyring
  is 'the token of one with a plain password' "$(token)" '*"access_token":"at_*'
  ok 'a file unlocks the keyring, and so does one that only the machine can decrypt'
}
