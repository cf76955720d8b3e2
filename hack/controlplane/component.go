package main

import (
	"fmt"
	"slices"
	"strings"
)

// module is a Go module that programs are built from: one command builds all of its
// programs that are wanted, so that what they have in common is compiled once.
type module struct {
	folder string // beside this file
	// versioned is the module path whose version the linker writes into the programs,
	// and stamp the flags for it; empty where the sources know their versions.
	versioned string
	stamp     func(version string) string
}

// component is a program, and how to build it.
type component struct {
	name   string // of the binary
	module *module
	pkg    string // its main package
	pin    string // the module path whose version is the program's; empty for our own
	made   string // what the go command calls the binary; empty if that is name
	folder string // where the binary goes, as seen from the output folder
}

var (
	programs = &module{folder: "programs", versioned: "k8s.io/kubernetes", stamp: stampKubernetes}
	ours     = &module{folder: "../.."}
)

// components are in the order in which they are best built: the first are those that
// have to run before others can.
var components = []component{
	{name: "etcd", module: programs, pkg: "go.etcd.io/etcd/server/v3", pin: "go.etcd.io/etcd/server/v3", made: "server"},
	kubernetes("kube-apiserver"),
	kubernetes("kubectl"),
	kubernetes("kube-scheduler"),
	kubernetes("kube-controller-manager"),
	{name: "kwok", module: programs, pkg: "sigs.k8s.io/kwok/cmd/kwok", pin: "sigs.k8s.io/kwok"},
	{name: "demo", module: ours, pkg: "./hack/demo", folder: ".."},
	{name: "sample-operator", module: ours, pkg: "./examples/sample-operator", folder: ".."},
}

// usual is what is built when nothing is named: what an API needs.
var usual = []string{"etcd", "kube-apiserver"}

func kubernetes(name string) component {
	return component{name: name, module: programs, pkg: "k8s.io/kubernetes/cmd/" + name, pin: "k8s.io/kubernetes"}
}

// own reports whether the program is from this repository. The go command finds out
// best whether such a program is up to date.
func (c component) own() bool { return c.pin == "" }

// file is what the go command calls the binary.
func (c component) file() string {
	if c.made == "" {
		return c.name
	}
	return c.made
}

// stampKubernetes sets what a release build sets and clients look at. A server
// without it calls itself v0.0.0, which switches off features by version.
func stampKubernetes(version string) string {
	const pkg = "k8s.io/component-base/version."
	numbers := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(numbers) < 3 {
		panic(fmt.Sprintf("BUG: %q is not a Kubernetes version", version))
	}
	return fmt.Sprintf("-X %[1]sgitVersion=%[2]s -X %[1]sgitMajor=%[3]s -X %[1]sgitMinor=%[4]s",
		pkg, version, numbers[0], numbers[1])
}

// pick returns the components with these names, the usual ones if there are none.
func pick(names []string) ([]component, error) {
	if len(names) == 0 {
		names = usual
	}
	for _, name := range names {
		if !slices.Contains(known(), name) {
			return nil, fmt.Errorf("build %q: no such component; there are %s", name, strings.Join(known(), ", "))
		}
	}
	var picked []component
	for _, c := range components {
		if slices.Contains(names, c.name) {
			picked = append(picked, c)
		}
	}
	return picked, nil
}

func known() []string { return namesOf(components) }

func namesOf(all []component) []string {
	var names []string
	for _, c := range all {
		names = append(names, c.name)
	}
	return names
}

// batches sorts components by their modules, which stay in their order.
func batches(wanted []component) [][]component {
	var all [][]component
	for _, c := range wanted {
		at := slices.IndexFunc(all, func(batch []component) bool { return batch[0].module == c.module })
		if at < 0 {
			at, all = len(all), append(all, nil)
		}
		all[at] = append(all[at], c)
	}
	return all
}
