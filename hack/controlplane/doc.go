// Command controlplane builds the real parts that tests run against: etcd and
// kube-apiserver, and by name kube-controller-manager, kube-scheduler, kwok and
// kubectl.
//
//	go -C hack/controlplane run .                      etcd kube-apiserver, into bin/k8s
//	go -C hack/controlplane run . kwok kube-scheduler  these instead
//	go -C hack/controlplane run . -out /some/dir kwok  elsewhere
//
// Each binary comes from a Go module through the module proxy and nothing else.
// What is built is pinned in etcd/go.mod, kubernetes/go.mod and kwok/go.mod; they
// are three modules because the three projects do not agree on their dependencies,
// and each should be built with those it was released with.
//
// A binary is built again only when its pins or its build arguments change. A
// user's KUBEBUILDER_ASSETS wins: then nothing is built, and it is an error if a
// binary is missing there.
//
// # Concurrency
//
// Any number of processes may run at once, over the same folder too: one builds
// and the others wait for it. A binary appears by rename, so a process
// that runs the old one goes on running it.
//
// # Testing
//
// The tests build small modules of their own with the real go command.
package main
