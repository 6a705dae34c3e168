#!/bin/bash
# Google's library for Python trades the token that "keyrack token-file" keeps in a file for one of a service account's.
set -euo pipefail

prepare() {
  mkdir -p .config/gcloud
  recipe google >.config/gcloud/work.json
  cat >google_token.py <<'PYTHON'
import google.auth
from google.auth.transport.requests import Request

credentials, _ = google.auth.default(scopes=["https://www.googleapis.com/auth/cloud-platform"])
credentials.refresh(Request())
print(credentials.token)
PYTHON
}

works() {
  [ "$(GOOGLE_CLOUD_PROJECT=kitchen GOOGLE_APPLICATION_CREDENTIALS=$HOME/.config/gcloud/work.json \
    "$venv/bin/python" google_token.py)" = google-of-NAME@PROJECT.iam.gserviceaccount.com ] ||
    { cat "$session_log/token-file"; return 1; }
}

"$@"
