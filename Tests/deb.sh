#!/bin/bash
# The Debian package that "make deb" made: lintian has no error, and what it installs runs without Swift.
set -euo pipefail
cd "$(dirname "$0")/.."

version=$(sed -n 's/.*static let version = "\(.*\)".*/\1/p' Sources/KeyrackProtocol/Keyrack.swift)
package=.build/keyrack_${version}_$(dpkg --print-architecture).deb
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() { printf 'deb.sh: %s\n' "$*" >&2; exit 1; }
# is WHAT ACTUAL EXPECTED
is() { [ "$2" = "$3" ] || fail "$1: expected $3, not: $2"; }

allowed=()
[ "$(id -u)" != 0 ] || allowed=(--allow-root)
lintian "${allowed[@]}" --fail-on error "$package" || fail 'lintian has an error'

dpkg-deb --extract "$package" "$folder/root"
dpkg-deb --control "$package" "$folder/control"
bin=$folder/root/usr/bin
is 'keyrack' "$(env -i "$bin/keyrack" --version 2>/dev/null)" "keyrack $version"
is 'keyrackd' "$(env -i "$bin/keyrackd" --version)" "keyrackd $version"
is 'the helper of git' "$(env -i "$bin/git-credential-keyrack" capability | head -n 1)" 'version 0'
is 'the helper of docker' "$(env -i "$bin/docker-credential-keyrack" version)" "docker-credential-keyrack (keyrack) $version"
for program in "$bin/keyrackd" "$bin/keyrack" "$folder/root/usr/libexec/keyrack/keyrack-keyring"; do
  libraries=$(ldd "$program")
  ! grep -iE 'swift|foundation|dispatch|not found' <<<"$libraries" || fail "$program is linked with this"
done

depends=$(dpkg-deb --field "$package" Depends)
for library in libsecret-1-0 libcurl4 libsystemd0; do [[ $depends == *"$library "* ]] || fail "no $library in: $depends"; done
[[ ${depends,,} != *swift* ]] || fail "it depends on Swift: $depends"

for page in man1/{keyrack,git-credential-keyrack,docker-credential-keyrack}.1 man5/keyrack.conf.5 \
  man7/keyrack-{protocol,recipes}.7 man8/keyrackd.8; do
  # mandoc shows the version at the foot of each page.
  man -l "$folder/root/usr/share/man/$page.gz" 2>/dev/null | tail -n 1 | grep -qF "Keyrack $version" || fail "no version in $page"
done
for file in bash-completion/completions/keyrack zsh/vendor-completions/_keyrack fish/vendor_completions.d/keyrack.fish \
  doc/keyrack/{copyright,changelog.gz,CHANGELOG.md,README.md.gz}; do
  compgen -G "$folder/root/usr/share/$file*" >/dev/null || fail "no $file"
done
grep -q '^ExecStart=/usr/bin/keyrackd$' "$folder/root/usr/lib/systemd/user/keyrack.service" || fail 'the service is of another place'
# The socket for each login, the service by it; and nothing of a person's is touched when it goes.
grep -q "deb-systemd-helper --user enable 'keyrack.socket'" "$folder/control/postinst" || fail 'the socket is not enabled'
! grep -q "enable 'keyrack.service'" "$folder/control/postinst" || fail 'the service is enabled'
[ -e "$folder/root/usr/lib/systemd/user/keyrack-headless-keyring.service" ] || fail 'no unit for a keyring'
! grep -q headless "$folder/control/postinst" || fail 'that unit is enabled'
! grep -hE '(^|[^a-z])rm |/home|\.config|\.local' "$folder/control"/p* || fail 'it removes things itself'
echo "deb.sh: $package is sound"
