// Command controlplane builds the real parts that tests run against: etcd and
// kube-apiserver, and by name kube-controller-manager, kube-scheduler, kwok and
// kubectl. The demo and the sample operator, which run against them, are built by name
// as well.
//
//	go -C hack/controlplane run .                      etcd kube-apiserver, into bin/k8s
//	go -C hack/controlplane run . kwok kube-scheduler  these instead
//	go -C hack/controlplane run . -out /some/dir kwok  elsewhere
//	go -C hack/controlplane run . demo                 of this repository, into bin
//
// Each binary comes from a Go module through the module proxy and nothing else.
// programs/go.mod pins all of them: at the versions that the Kubernetes release was made
// with. These are the versions of this repository's go.mod too, and a test compares the
// two.
//
// A binary is built again only when its pins or its build arguments change. A
// user's KUBEBUILDER_ASSETS wins: then none of a control plane is built, and it is an
// error if a binary is missing there.
//
// # What it costs
//
// Nearly all of a first build is the compiler's work on some 2,700 packages. So one go
// command builds all programs of a module that are wanted, and all modules have the same
// settings: no cgo, nothing for a debugger. Then a package that several programs need is
// compiled once, and the others find it in the go command's cache.
//
//	go list -deps ──▶ what is not in the cache ──▶ todo ◀── go build -v, as it goes on
//	                                                │
//	                          how many of how many, and how long at this speed
//
// Every ten seconds the command says how far it is. It works out how much longer it takes
// from how fast this very build is, so it has no estimate that could go stale.
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
