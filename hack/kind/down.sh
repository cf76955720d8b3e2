#!/usr/bin/env bash
# Takes the cluster away. It is no error if there is none.
set -euo pipefail
# shellcheck source=hack/kind/settings.sh
source "$(dirname "$0")/settings.sh"

need_engine
make bin/kind
"$KIND" delete cluster --name "$CLUSTER" --kubeconfig "$KUBECONFIG"
rm -f "$KUBECONFIG"
