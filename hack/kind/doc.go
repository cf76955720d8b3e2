// Package kind has the scripts that run the sample operator in a cluster of containers on
// this machine, and pins the version of kind that they use.
//
//	make kind-up     makes the cluster, packs the operator and runs it there
//	make kind-e2e    runs the operator's tests against it
//	make kind-down   takes the cluster away
//
// Only these scripts need more than Go. They need a container engine, and use docker or
// podman, the first that answers. kind's own variable KIND_EXPERIMENTAL_PROVIDER names one of
// them. The first use pulls the node's image. NODE_IMAGE names another image than the default
// of this version of kind, and so another version of Kubernetes. CLUSTER is the name of the
// cluster. The scripts do not change the user's kubeconfig: the cluster has its own,
// artifacts/kind.kubeconfig.
//
// # Concurrency
//
// None: one script at a time for a cluster.
//
// # Testing
//
// The tests run the scripts with engines that are missing, with engines that don't answer,
// and with an engine that answers just enough for kind to show what it would start. They do
// not test more than that, because the rest needs a real engine.
package kind
