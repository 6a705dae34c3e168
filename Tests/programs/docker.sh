#!/bin/bash
# docker reads a manifest from a registry.
set -euo pipefail

prepare() {
  mkdir -p .docker
  recipe docker >.docker/config.json
}

works() {
  DOCKER_CLI_EXPERIMENTAL=enabled "$(dirname "$0")/../../.build/program-bin/docker" \
    manifest inspect "localhost:$resource_port/app:latest" | grep -q schemaVersion
}

"$@"
