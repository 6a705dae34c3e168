#!/bin/bash
# Azure's SDK for Python trades the token that "keyrack token-file" keeps in a file for one of Azure's.
set -euo pipefail

prepare() {
  recipe azure >azure.env
  # It would ask Microsoft whether there is such a server.
  cat >azure_token.py <<'PYTHON'
from azure.identity import WorkloadIdentityCredential

credential = WorkloadIdentityCredential(disable_instance_discovery=True)
print(credential.get_token("https://management.azure.com/.default").token)
PYTHON
}

works() {
  set -a
  # shellcheck source=/dev/null
  . ./azure.env
  [ "$(AZURE_AUTHORITY_HOST=https://localhost:$sts_port "$venv/bin/python" azure_token.py)" = azure-of-alice ] ||
    { cat "$session_log/token-file"; return 1; }
}

"$@"
