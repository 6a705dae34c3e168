#!/bin/bash
# What the built programs may not be linked with.
#
#   linkage.sh DIRECTORY     the folder of the release build
set -euo pipefail

# refuse PROGRAM PATTERN: no library of the program may match.
refuse() {
  local libraries
  libraries=$(ldd "$1")
  if grep -iE "$2" <<<"$libraries"; then
    echo "linkage.sh: $1 is linked with this" >&2
    exit 1
  fi
}

# Users need no Swift runtime.
for program in keyrackd keyrack keyrack-keyring; do refuse "$1/$program" 'libswift|libFoundation|libdispatch|libicu'; done
# libsecret hangs and leaks: only the helper may have it.
refuse "$1/keyrackd" 'libsecret'
refuse "$1/keyrack" 'libsecret|libcurl|libcjose'
refuse "$1/keyrack-keyring" 'libcurl'
