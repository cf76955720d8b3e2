#!/usr/bin/env bash
# Runs the sample operator's tests against the cluster that up.sh made.
set -euo pipefail
# shellcheck source=hack/kind/settings.sh
source "$(dirname "$0")/settings.sh"

need_engine
make bin/kind
has_cluster || fail "there is no cluster $CLUSTER: make kind-up makes it"
"$KIND" export kubeconfig --name "$CLUSTER" --kubeconfig "$KUBECONFIG"

E2E_KUBECONFIG=$KUBECONFIG go test -count=1 -v -timeout 20m -run '^TestSitesSurvive$' ./test/sampleoperator
