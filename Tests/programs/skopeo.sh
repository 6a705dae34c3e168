#!/bin/bash
# skopeo reads a manifest from a registry.
set -euo pipefail

prepare() {
  mkdir -p .config/containers
  recipe docker >.config/containers/auth.json
}

works() {
  skopeo inspect --raw "docker://localhost:$resource_port/app:latest" | grep -q schemaVersion
}

"$@"
