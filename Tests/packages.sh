# The Debian packages that Keyrack is built and tested with. Sourced, not run.
# Swift itself is in none of them: "swift" has to be in PATH.

# To compile and link. Swift links by clang, which needs the start files and headers of gcc and libc.
build_packages=(
  make pkg-config gcc libc6-dev libstdc++-12-dev
  libsystemd-dev libcurl4-openssl-dev libsecret-1-dev libglib2.0-dev
  libcjose-dev libjansson-dev libssl-dev libmicrohttpd-dev libqrencode-dev
  libncurses6             # what "swift build" itself loads and a small system lacks
)

# To make a Debian package.
deb_packages=(debhelper)

# To test, to demonstrate and to measure.
test_packages=(
  dbus-daemon dbus-bin    # private session buses; dbus-send
  gnome-keyring           # a Secret Service
  libsecret-tools         # secret-tool
  systemd                 # systemd-socket-activate, systemd-analyze
  dbus-user-session       # the session bus of a user manager
  ca-certificates         # https without a ca_file
  glewlwyd sqlite3        # a real OAuth 2.0 server, and what makes its database
  python3 python3-venv    # another: Tests/servers/install-venv.sh
  git nginx fcgiwrap      # as a client, and "git http-backend" as a server
  skopeo                  # asks for the credentials of registries
  curl                    # what "keyrack curl" runs, and a browser
  socat openssl strace procps util-linux
  openssh-client          # Tests/service.sh: forwarding the socket
  podman uidmap crun      # Tests/service.sh: mounting the socket into a container
)

# For what .ci/run looks at besides.
check_packages=(
  man-db mandoc           # Tests/man.sh
  zsh fish                # Tests/completions.sh, with bash
  lintian                 # Tests/deb.sh
  shellcheck              # "make lint"
)

# The programs that "make test-programs" has work with Keyrack, and their servers. Tests/install-programs.sh has the others.
program_packages=(
  dovecot-imapd dovecot-submissiond
  msmtp neomutt aerc getmail6
  isync libsasl2-modules-kdexoauth2    # mbsync, and what gives it XOAUTH2
  golang-go               # examples/token.go
  conmon crun libsubid4   # what podman does not start without
)
