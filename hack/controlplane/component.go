package main

import (
	"fmt"
	"slices"
	"strings"
)

// module is a Go module with programs. One command builds all wanted programs of a module, so
// that packages that they share are compiled once.
type module struct {
	folder string // beside this file
	// versioned is the module path whose version the linker writes into the programs. stamp are
	// the flags for that. Both are empty for our own programs.
	versioned string
	stamp     func(version string) string
}

// component is a program, and how to build it.
type component struct {
	name   string // of the binary
	module *module
	pkg    string // its main package
	pin    string // the module path that has the program's version; empty for our own programs
	made   string // the go command's name for the binary; empty if it is name
	folder string // the folder of the binary, relative to the output folder
}

var (
	programs = &module{folder: "programs", versioned: "k8s.io/kubernetes", stamp: stampKubernetes}
	ours     = &module{folder: "../.."}
)

// components are in the order in which they should be built: first those that have to run
// before others can.
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

// usual are the components to build if none is named. An API server needs these.
var usual = []string{"etcd", "kube-apiserver"}

func kubernetes(name string) component {
	return component{name: name, module: programs, pkg: "k8s.io/kubernetes/cmd/" + name, pin: "k8s.io/kubernetes"}
}

// own reports whether the program is from this repository. For such a program the go command
// itself decides whether it is up to date.
func (c component) own() bool { return c.pin == "" }

// stampKubernetes sets the version values that a release build sets and that clients read. A
// server without them has the version v0.0.0, which switches features off.
func stampKubernetes(version string) string {
	const pkg = "k8s.io/component-base/version."
	numbers := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(numbers) < 3 {
		panic(fmt.Sprintf("BUG: %q is not a Kubernetes version", version))
	}
	return fmt.Sprintf("-X %[1]sgitVersion=%[2]s -X %[1]sgitMajor=%[3]s -X %[1]sgitMinor=%[4]s",
		pkg, version, numbers[0], numbers[1])
}

// pick returns the components with these names, or the usual ones if there are no names.
func pick(names []string) ([]component, error) {
	if len(names) == 0 {
		names = usual
	}
	for _, name := range names {
		if !slices.ContainsFunc(components, func(c component) bool { return c.name == name }) {
			return nil, fmt.Errorf("build %q: no such component; there are %s", name, namesOf(components))
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

// namesOf lists components in words.
func namesOf(all []component) string {
	var names []string
	for _, c := range all {
		names = append(names, c.name)
	}
	return strings.Join(names, ", ")
}

// batches groups components by their modules, and keeps the order of the modules.
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
