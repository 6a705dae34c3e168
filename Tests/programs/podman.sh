#!/bin/bash
# podman signs in to a registry and pulls an image.
set -euo pipefail
export CONTAINERS_CONF=$HOME/podman/containers.conf CONTAINERS_STORAGE_CONF=$HOME/podman/storage.conf

# Nothing of the system's.
prepare() {
  mkdir -p .config/containers podman
  recipe docker >.config/containers/auth.json
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
}

podman() { "$(dirname "$0")/../../.build/program-bin/podman" "$@"; }

works() {
  local image=localhost:$resource_port/app:latest
  podman login "localhost:$resource_port"
  podman pull -q "$image"
  podman rmi "$image"
}

"$@"
