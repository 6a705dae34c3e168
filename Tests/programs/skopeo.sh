#!/bin/bash
# skopeo reads a manifest from a registry, by the credential helpers that podman and docker have, too.
set -euo pipefail

prepare() {
  mkdir -p .config/containers
  recipe docker >.config/containers/auth.json
}

works() {
  skopeo inspect --raw "docker://localhost:$resource_port/app:latest" | grep -q schemaVersion
}

"$@"
