#!/bin/bash
# git clones and pushes, by Basic; the server takes Bearer, too.
set -euo pipefail

prepare() {
  export GIT_CONFIG_NOSYSTEM=1
  recipe git >.gitconfig
  git config --global user.name Alice
  git config --global user.email alice@example.org
}

works() {
  export GIT_CONFIG_NOSYSTEM=1
  git clone -q "https://localhost:$git_port/kitchen" "$1"
  git -C "$1" commit -q --allow-empty -m "$1"
  git -C "$1" push -q origin HEAD
  git -C "$1" ls-remote -q origin | grep -q "$(git -C "$1" rev-parse HEAD)"
  keyrack curl work "https://localhost:$git_port/kitchen/info/refs?service=git-upload-pack" >"$1/refs"
  grep -aq "$(git -C "$1" rev-parse HEAD)" "$1/refs"
}

"$@"
