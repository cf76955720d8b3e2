#!/usr/bin/env bash
# Makes the cluster, unless it is there, and has the sample operator as it is now run in
# it.
set -euo pipefail
# shellcheck source=hack/kind/settings.sh
source "$(dirname "$0")/settings.sh"

need_engine
make bin/kind

if ! has_cluster; then
	node=()
	if [ -n "${NODE_IMAGE:-}" ]; then
		node=(--image "$NODE_IMAGE")
	fi
	# "${node[@]+…}" because older versions of bash take an empty array for an unset one.
	"$KIND" create cluster --name "$CLUSTER" --config hack/kind/cluster.yaml \
		--kubeconfig "$KUBECONFIG" --wait 3m ${node[@]+"${node[@]}"}
fi
"$KIND" export kubeconfig --name "$CLUSTER" --kubeconfig "$KUBECONFIG"

make image PLATFORMS="linux/$(go env GOHOSTARCH)"
"$KIND" load image-archive artifacts/sample-operator.tar --name "$CLUSTER"

make deploy
# The image has the name that it had before, so that a Deployment that was there has not
# changed.
operator=(--namespace sample-operator-system deployment/sample-operator-controller-manager)
"$KUBECTL" rollout restart "${operator[@]}"
"$KUBECTL" rollout status --timeout 3m "${operator[@]}"
