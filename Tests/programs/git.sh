#!/bin/bash
# git clones and pushes.
set -euo pipefail

prepare() {
  export GIT_CONFIG_NOSYSTEM=1
  recipe git >.gitconfig
  git config --global user.name Alice
  git config --global user.email alice@example.org
}

works() {
  export GIT_CONFIG_NOSYSTEM=1
  git clone -q "https://localhost:$resource_port/git/kitchen" "$1"
  git -C "$1" commit -q --allow-empty -m "$1"
  git -C "$1" push -q origin HEAD
  git -C "$1" ls-remote -q origin | grep -q "$(git -C "$1" rev-parse HEAD)"
}

"$@"
