// Package kind has the scripts that run the sample operator in a cluster of containers
// on this machine, and the version of kind that they do it with.
//
//	make kind-up     makes the cluster, packs the operator and has it run there
//	make kind-e2e    runs the operator's tests against it
//	make kind-down   takes the cluster away
//
// They are the one thing here that takes more than Go: a container engine, docker or
// podman, whichever answers. KIND_EXPERIMENTAL_PROVIDER, which is kind's own, names one.
// The first use pulls the node's image. NODE_IMAGE names another than the one that kind
// was released with, and so another version of Kubernetes; CLUSTER is what the cluster
// is called. The user's kubeconfig is left alone: the cluster's own is
// artifacts/kind.kubeconfig.
//
// # Concurrency
//
// None: one script at a time for a cluster.
//
// # Testing
//
// The tests run the scripts against engines that are missing, that don't answer, and
// that answer as little as kind needs to show what it would start. Nothing else here
// has ever been tried without a real engine.
package kind
