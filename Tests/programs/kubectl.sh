#!/bin/bash
# kubectl lists namespaces: Debian's, and a newer one where there is one.
set -euo pipefail
old=$(dirname "$0")/../../.build/program-bin/kubectl

prepare() {
  local user
  user=$(recipe kubectl)
  cat >kubeconfig <<CONF
apiVersion: v1
kind: Config
current-context: work
contexts: [{name: work, context: {cluster: work, user: work}}]
clusters: [{name: work, cluster: {server: "https://localhost:$resource_port", certificate-authority: "$ca"}}]
$user
CONF
  sed 's/v1beta1/v1/' kubeconfig >kubeconfig-v1
}

lists() { [ "$("$@" get namespaces -o name)" = namespace/kitchen ]; }

works() {
  lists "$old" --kubeconfig kubeconfig
  if command -v kubectl >/dev/null; then lists kubectl --kubeconfig kubeconfig-v1; fi
}

"$@"
