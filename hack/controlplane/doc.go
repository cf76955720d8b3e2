// Command controlplane builds the real programs that tests run against: etcd and
// kube-apiserver. If they are named, it also builds kube-controller-manager, kube-scheduler,
// kwok and kubectl.
//
//	go -C hack/controlplane run .                      etcd kube-apiserver, into bin/k8s
//	go -C hack/controlplane run . kwok kube-scheduler  these instead
//
// Each binary comes from a Go module through the module proxy and nothing else.
// programs/go.mod pins all of them: at the versions that the Kubernetes release was made
// with. These are the versions of this repository's go.mod too, and a test compares the
// two.
//
// A binary is built again only when its pins or its build arguments change. If the user sets
// KUBEBUILDER_ASSETS, the command builds nothing. If a program is missing there, those who
// start it say so: see internal/testing/controlplane.
//
// # What it costs
//
// A first build spends nearly all its time on compiling some 2,700 packages. So one go
// command builds all wanted programs, and make has the same settings for our own: no
// cgo, and no data for a debugger. Then a package that several programs need is compiled
// once, and is in the go command's cache for the others.
//
// At most every ten seconds, as packages begin, the command reports how many of them it has compiled.
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
