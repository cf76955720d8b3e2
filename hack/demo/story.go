package main

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// chapter is one change of the cluster, and its expected effects.
type chapter struct {
	title   string
	kubectl []string
	// until returns an error while the cluster is not in the expected state.
	until func(context.Context, client.Client) error
	then  string // describes the expected state
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
		until:   allSitesReady,
		then:    "all Sites are ready",
		clues:   []clue{{change: "Primary Site"}},
	},
	{
		title:   "A Site that names a Secret which is not there",
		kubectl: []string{"apply", "--filename", "hack/demo/story/blog.yaml"},
		until:   siteHas(blog, "SecretsFound", "SecretMissing"),
		then:    "the Site says what it lacks, holds its hostname, and has no Pods",
		clues:   []clue{{object: blog, change: "Primary Site demo/blog Added", wrote: "Service/blog"}},
	},
	{
		title:   "The Secret comes",
		kubectl: []string{"apply", "--filename", "hack/demo/story/settings.yaml"},
		until:   blogHas(2),
		then:    "2 Pods are ready",
		clues:   []clue{{object: blog, change: "Mapped Secret demo/settings Added", wrote: "Deployment/blog"}},
	},
	{
		title:   "Somebody edits a file",
		kubectl: []string{"patch", "sites", "blog", "--namespace=demo", "--type=merge", `--patch={"spec":{"files":{"index.html":"<h1>Good evening</h1>"}}}`},
		until:   both(fileSays(blog, "<h1>Good evening</h1>"), blogHas(2)),
		then:    "the ConfigMap has it, and the Pods have been replaced",
		clues:   []clue{{object: blog, change: "Primary Site demo/blog Updated", path: "spec.files", wrote: "Deployment/blog"}},
	},
	{
		title:   "Somebody scales",
		kubectl: []string{"patch", "sites", "blog", "--namespace=demo", "--type=merge", `--patch={"spec":{"replicas":3}}`},
		until:   blogHas(3),
		then:    "3 Pods are ready",
		clues:   []clue{{object: blog, change: "Primary Site demo/blog Updated", path: "spec.replicas", wrote: "Deployment/blog"}},
	},
	{
		title:   "The password in the Secret changes",
		kubectl: []string{"patch", "secrets", "settings", "--namespace=demo", `--patch={"stringData":{"password":"marlin"}}`},
		until:   blogHas(3),
		then:    "3 new Pods are ready, and nothing shows the password",
		clues:   []clue{{object: blog, change: "Mapped Secret demo/settings Updated", path: "data", wrote: "Deployment/blog"}},
	},
	{
		title:   "Somebody deletes the Service, behind the operator's back",
		kubectl: []string{"delete", "services", "blog", "--namespace=demo"},
		until:   serviceExists(blog),
		then:    "it is there again",
		clues:   []clue{{object: blog, change: "Owned Service demo/blog Deleted", wrote: "Service/blog"}},
	},
	{
		title:   "Somebody changes the Deployment's image, behind the operator's back",
		kubectl: []string{"set", "image", "deployments/blog", "--namespace=demo", "site=example.com/something-else:1"},
		until:   both(imageIsNot(blog, "example.com/something-else:1"), blogHas(3)),
		then:    "it is as the Site wants it again",
		clues:   []clue{{object: blog, change: "Owned Deployment demo/blog Updated", path: "spec.template.spec.containers", wrote: "Deployment/blog"}},
	},
	{
		title:   "Another Site wants the same hostname",
		kubectl: []string{"apply", "--filename", "hack/demo/story/copycat.yaml"},
		until:   siteHas(copycat, "HostnameHeld", "HostnameTaken"),
		then:    "it says who holds it, and waits",
		clues:   []clue{{object: copycat, change: "Primary Site demo/copycat Added"}},
	},
	{
		title:   "The Site that holds the hostname is deleted",
		kubectl: []string{"delete", "sites", "blog", "--namespace=demo"},
		until:   both(childrenGone(blog), siteHas(copycat, "HostnameHeld", "Held")),
		then:    "its children are collected, and the other Site has the hostname",
		clues:   []clue{{object: copycat, change: "Mapped ConfigMap " + operatorNamespace + "/hostname-blog.example.com Deleted"}},
	},
}
