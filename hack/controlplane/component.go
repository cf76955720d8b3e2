package main

import (
	"fmt"
	"slices"
	"strings"
)

// component is a program of a control plane, and how to build it.
type component struct {
	name   string // of the binary
	module string // the one that pins it, a folder beside this file
	pin    string // the module path whose version is the component's
	pkg    string // its main package
	// stamp returns the linker flags that make the binary tell its version; nil
	// where the source knows it already.
	stamp func(version string) string
	takes string // how long the first build takes on two cores
}

var components = []component{
	{
		name: "etcd", module: "etcd", takes: "half a minute",
		pin: "go.etcd.io/etcd/server/v3", pkg: "go.etcd.io/etcd/server/v3",
	},
	kubernetes("kube-apiserver", "three minutes"),
	kubernetes("kube-controller-manager", "three minutes"),
	kubernetes("kube-scheduler", "half a minute"),
	kubernetes("kubectl", "a minute"),
	{
		name: "kwok", module: "kwok", takes: "a minute",
		pin: "sigs.k8s.io/kwok", pkg: "sigs.k8s.io/kwok/cmd/kwok",
	},
}

// usual is what is built when nothing is named: what an API needs.
var usual = []string{"etcd", "kube-apiserver"}

func kubernetes(name, takes string) component {
	return component{
		name: name, module: "kubernetes", takes: takes,
		pin: "k8s.io/kubernetes", pkg: "k8s.io/kubernetes/cmd/" + name,
		stamp: stampKubernetes,
	}
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
	var picked []component
	for _, name := range names {
		at := slices.IndexFunc(components, func(c component) bool { return c.name == name })
		if at < 0 {
			return nil, fmt.Errorf("build %q: no such component; there are %s", name, strings.Join(known(), ", "))
		}
		picked = append(picked, components[at])
	}
	return picked, nil
}

func known() []string {
	var names []string
	for _, c := range components {
		names = append(names, c.name)
	}
	return names
}
