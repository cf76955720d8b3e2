package main

import (
	"slices"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
)

// chapter is one change of the cluster, and its expected effects.
type chapter struct {
	title   string
	kubectl []string
	until   []state // in which the cluster has to be, one after the other
	then    string  // describes these
	// clues are reconciles that the operator has to log.
	clues []clue
}

const (
	blog    = "demo/blog"
	copycat = "demo/copycat"
)

// story has the chapters in their order. Each one begins in the state at the end of the last
// one.
var story = []chapter{
	{
		title:   "The operator's samples",
		kubectl: []string{"apply", "--kustomize", "config/samples"},
		until:   []state{{"wait", "sites", "--all", "--all-namespaces", "--for=condition=Ready", oneCall}},
		then:    "all Sites are ready",
		clues:   []clue{{change: "Primary Site"}},
	},
	{
		title:   "A Site that names a Secret which is not there",
		kubectl: []string{"apply", "--filename", "hack/demo/story/blog.yaml"},
		until:   []state{siteHas("blog", "SecretsFound", "SecretMissing")},
		then:    "the Site says what it lacks, holds its hostname, and has no Pods",
		clues:   []clue{{object: blog, change: "Primary Site demo/blog Added", wrote: "Service/blog"}},
	},
	{
		title:   "The Secret comes",
		kubectl: []string{"apply", "--filename", "hack/demo/story/settings.yaml"},
		until:   blogHas("2"),
		then:    "2 Pods are ready",
		clues:   []clue{{object: blog, change: "Mapped Secret demo/settings Added", wrote: "Deployment/blog"}},
	},
	{
		title:   "Somebody edits a file",
		kubectl: []string{"patch", "sites", "blog", "--namespace=demo", "--type=merge", `--patch={"spec":{"files":{"index.html":"<h1>Good evening</h1>"}}}`},
		until:   slices.Concat([]state{has("configmaps/blog-files", `.data.index\.html`, "<h1>Good evening</h1>")}, blogHas("2")),
		then:    "the ConfigMap has it, and the Pods have been replaced",
		clues:   []clue{{object: blog, change: "Primary Site demo/blog Updated", path: "spec.files", wrote: "Deployment/blog"}},
	},
	{
		title:   "Somebody scales",
		kubectl: []string{"patch", "sites", "blog", "--namespace=demo", "--type=merge", `--patch={"spec":{"replicas":3}}`},
		until:   blogHas("3"),
		then:    "3 Pods are ready",
		clues:   []clue{{object: blog, change: "Primary Site demo/blog Updated", path: "spec.replicas", wrote: "Deployment/blog"}},
	},
	{
		title:   "The password in the Secret changes",
		kubectl: []string{"patch", "secrets", "settings", "--namespace=demo", `--patch={"stringData":{"password":"marlin"}}`},
		until:   blogHas("3"),
		then:    "3 new Pods are ready, and nothing shows the password",
		clues:   []clue{{object: blog, change: "Mapped Secret demo/settings Updated", path: "data", wrote: "Deployment/blog"}},
	},
	{
		title:   "Somebody deletes the Service, behind the operator's back",
		kubectl: []string{"delete", "services", "blog", "--namespace=demo"},
		until:   []state{{"get", "services/blog", "--namespace=demo"}},
		then:    "it is there again",
		clues:   []clue{{object: blog, change: "Owned Service demo/blog Deleted", wrote: "Service/blog"}},
	},
	{
		title:   "Somebody changes the Deployment's image, behind the operator's back",
		kubectl: []string{"set", "image", "deployments/blog", "--namespace=demo", "site=example.com/something-else:1"},
		until:   slices.Concat([]state{has("deployments/blog", ".spec.template.spec.containers[0].image", webv1alpha1.DefaultImage)}, blogHas("3")),
		then:    "it is as the Site wants it again",
		clues:   []clue{{object: blog, change: "Owned Deployment demo/blog Updated", path: "spec.template.spec.containers", wrote: "Deployment/blog"}},
	},
	{
		title:   "Another Site wants the same hostname",
		kubectl: []string{"apply", "--filename", "hack/demo/story/copycat.yaml"},
		until:   []state{siteHas("copycat", "HostnameHeld", "HostnameTaken")},
		then:    "it says who holds it, and waits",
		clues:   []clue{{object: copycat, change: "Primary Site demo/copycat Added"}},
	},
	{
		title:   "The Site that holds the hostname is deleted",
		kubectl: []string{"delete", "sites", "blog", "--namespace=demo"},
		until: []state{
			{"wait", "sites/blog", "deployments/blog", "services/blog", "configmaps/blog-files", "--namespace=demo", "--for=delete", oneCall},
			siteHas("copycat", "HostnameHeld", "Held"),
		},
		then:  "its children are collected, and the other Site has the hostname",
		clues: []clue{{object: copycat, change: "Mapped ConfigMap " + operatorNamespace + "/hostname-blog.example.com Deleted"}},
	},
}
