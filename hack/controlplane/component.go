package main

import (
	"fmt"
	"slices"
	"strings"
)

// component is a program, and how to build it.
type component struct {
	name string // of the binary
	pkg  string // its main package
	pin  string // the module path that has the program's version
	made string // the go command's name for the binary; empty if it is name
}

const kubernetesPath = "k8s.io/kubernetes"

var components = []component{
	{name: "etcd", pkg: "go.etcd.io/etcd/server/v3", pin: "go.etcd.io/etcd/server/v3", made: "server"},
	kubernetes("kube-apiserver"),
	kubernetes("kubectl"),
	kubernetes("kube-scheduler"),
	kubernetes("kube-controller-manager"),
	{name: "kwok", pkg: "sigs.k8s.io/kwok/cmd/kwok", pin: "sigs.k8s.io/kwok"},
}

// usual are the components to build if none is named. An API server needs these.
var usual = []string{"etcd", "kube-apiserver"}

func kubernetes(name string) component {
	return component{name: name, pkg: kubernetesPath + "/cmd/" + name, pin: kubernetesPath}
}

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
	return slices.DeleteFunc(slices.Clone(components), func(c component) bool { return !slices.Contains(names, c.name) }), nil
}

// namesOf lists components in words.
func namesOf(all []component) string {
	var names []string
	for _, c := range all {
		names = append(names, c.name)
	}
	return strings.Join(names, ", ")
}
