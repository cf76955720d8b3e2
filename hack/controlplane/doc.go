// Command controlplane builds the real programs that tests run against: etcd and
// kube-apiserver. If they are named, it also builds kube-controller-manager, kube-scheduler,
// kwok and kubectl, and the demo and the sample operator, which run against them.
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
// A binary is built again only when its pins or its build arguments change. If the user sets
// KUBEBUILDER_ASSETS, the command builds no part of a control plane. It is an error then if a
// binary is missing there.
//
// # What it costs
//
// A first build spends nearly all its time on compiling some 2,700 packages. So one go
// command builds all wanted programs of a module, and all modules have the same settings: no
// cgo, and no data for a debugger. Then a package that several programs need is compiled
// once, and is in the go command's cache for the others.
//
//	go list -deps ──▶ what is not in the cache ──▶ todo ◀── go build -v, as it goes on
//	                                                │
//	                          how many of how many, and how long at this speed
//
// Every ten seconds the command reports its progress. It estimates the remaining time from
// the speed of this very build. So it has no stored estimate that could become wrong.
//
// # Concurrency
//
// Any number of processes may run at once, also over the same folder: one builds, and the
// others wait for it. A new binary replaces the old one by a rename, so a process that runs
// the old one goes on running it.
//
// # Testing
//
// The tests build small modules with the real go command.
package main
