# shellcheck shell=bash
# What the scripts beside it agree on. It is sourced by them, after `set -euo pipefail`.

cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit
mkdir -p artifacts

CLUSTER=${CLUSTER:-delta-runtime}
KIND=${KIND:-bin/kind}
KUBECTL=${KUBECTL:-kubectl}
KUBECONFIG=$PWD/artifacts/kind.kubeconfig
export KUBECONFIG

fail() {
	echo "kind: $*" >&2
	exit 1
}

# need_engine chooses the first container engine that answers. kind would choose the
# first that is installed.
need_engine() {
	local engine why=""
	for engine in ${KIND_EXPERIMENTAL_PROVIDER:-docker podman}; do
		if ! command -v "$engine" >/dev/null; then
			why+="; $engine is not installed"
		elif ! "$engine" ps --quiet >/dev/null 2>&1; then
			why+="; $engine is installed but does not answer ('$engine ps' says why)"
		else
			export KIND_EXPERIMENTAL_PROVIDER=$engine
			return
		fi
	done
	fail "this takes a container engine${why}"
}

has_cluster() {
	"$KIND" get clusters 2>/dev/null | grep -xF "$CLUSTER" >/dev/null # not -q, which would leave kind with a broken pipe
}
