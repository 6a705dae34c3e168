#!/bin/bash
# podman signs in to a registry and pulls an image: root's by a helper, an ordinary user's with a token that it is given.
set -euo pipefail
export CONTAINERS_CONF=$HOME/podman/containers.conf CONTAINERS_STORAGE_CONF=$HOME/podman/storage.conf
image=localhost:$resource_port/app:latest

# Nothing of the system's.
prepare() {
  mkdir -p .config/containers podman/bin
  recipe docker >.config/containers/auth.json
  recipe podman >podman-login
  cat >podman/containers.conf <<CONF
[engine]
cgroup_manager = "cgroupfs"
events_logger = "none"
lock_type = "file"
static_dir = "$HOME/podman/libpod"
volume_path = "$HOME/podman/volumes"
tmp_dir = "$XDG_RUNTIME_DIR/podman"
CONF
  cat >podman/storage.conf <<CONF
[storage]
driver = "vfs"
graphroot = "$HOME/podman/storage"
runroot = "$XDG_RUNTIME_DIR/podman-storage"
CONF
  # In a namespace as podman makes one, which leaves a process behind to hold it.
  cat >podman/bin/podman <<SCRIPT
#!/bin/sh
export _CONTAINERS_USERNS_CONFIGURED=done _CONTAINERS_ROOTLESS_UID=$(id -u)
exec unshare --mount --map-root-user "$program" "\$@"
SCRIPT
  chmod 755 podman/bin/podman
}

program=$(cd "$(dirname "$0")/../../.build/program-bin" && pwd)/podman

pulls() {
  "$@" pull -q "$image"
  "$@" rmi "$image"
}

works() {
  if [ "$(id -u)" = 0 ]; then
    "$program" login "localhost:$resource_port"
    pulls "$program"
  fi
  # Knows no helper.
  export PATH=$HOME/podman/bin:$PATH XDG_CONFIG_HOME=$HOME/podman/.config
  export HOME=$HOME/podman
  bash podman-login
  pulls podman
  podman logout "localhost:$resource_port"
}

"$@"
