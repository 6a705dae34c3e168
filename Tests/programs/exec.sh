#!/bin/bash
# A program has a token in its environment, and there alone.
set -euo pipefail

prepare() {
  recipe exec >run-report
  cat >report <<SCRIPT
#!/bin/bash
printf 'header = "Authorization: Bearer %s"' "\$API_TOKEN" | curl -sSfK - https://localhost:$resource_port/api
SCRIPT
  chmod 755 report
}

works() { [ "$(bash run-report)" = 'hello alice' ]; }

"$@"
