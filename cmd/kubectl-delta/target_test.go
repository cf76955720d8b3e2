package main

import (
	"strings"
	"testing"
)

func TestTargets(t *testing.T) {
	for text, want := range map[string]target{
		"deployment/web":          {"deployment", "web"},
		"deployment web":          {"deployment", "web"},
		"apps/v1 Deployment/web":  {"apps/v1 Deployment", "web"},
		"v1 Pod (metadata)/a.b-c": {"v1 Pod (metadata)", "a.b-c"},
	} {
		args := []string{text}
		if kind, name, ok := strings.Cut(text, " "); ok && kind == "deployment" {
			args = []string{kind, name}
		}
		if got, err := parseTarget(args); err != nil || got != want {
			t.Errorf("%q is read as %+v (%v), want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "web", "/web", "deployment/", "/", " /web"} {
		if got, err := parseTarget([]string{text}); err == nil {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

func FuzzTargets(f *testing.F) {
	f.Add("deployment/web")
	f.Add("apps/v1 Deployment/web")
	f.Add("//")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseTarget([]string{text})
		if err != nil {
			return
		}
		if got.kind+"/"+got.name != text || got.name == "" || strings.TrimSpace(got.kind) == "" || strings.Contains(got.name, "/") {
			t.Errorf("%q is read as %+v", text, got)
		}
	})
}

func TestRequests(t *testing.T) {
	for text, want := range map[string][2]string{"demo/web": {"demo", "web"}, "web": {"", "web"}} {
		if namespace, name, err := parseRequest(text); err != nil || [2]string{namespace, name} != want {
			t.Errorf("%q is read as %q and %q (%v)", text, namespace, name, err)
		}
	}
	for _, text := range []string{"", "/", "demo/", "/web", "a/b/c"} {
		if _, _, err := parseRequest(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

func TestKindsAreFound(t *testing.T) {
	list := kinds().Items
	ingress, policy := list[0], list[0]
	ingress.Name, ingress.Kind, ingress.Group = "networking.k8s.io/v1 Ingress", "Ingress", "networking.k8s.io"
	policy.Name, policy.Kind, policy.Group = "networking.k8s.io/v1 NetworkPolicy", "NetworkPolicy", "networking.k8s.io"
	other := list[0]
	other.Name, other.Group = "extensions.example.com/v1 Deployment", "extensions.example.com"
	list = append(list, ingress, policy)
	for text, want := range map[string]string{
		"site": list[4].Name, "Sites": list[4].Name, "sites.web.example.com": list[4].Name, "Site.v1.web.example.com": list[4].Name,
		"web.example.com/v1 site": list[4].Name, "deploy": list[0].Name, "secret.v1": list[1].Name, "v1 Secret": list[1].Name,
		"ingresses": ingress.Name, "ing": ingress.Name, "networkpolicies": policy.Name,
		// The form with all fields is meant, unless another is named in full.
		"pod": "v1 Pod", "po": "v1 Pod", "v1 Pod (metadata)": "v1 Pod (metadata)",
	} {
		if got, err := pick(list, text); err != nil || got != want {
			t.Errorf("%q is %q (%v), want %q", text, got, err, want)
		}
	}
	if _, err := pick(append(list, other), "deployment"); err == nil || !strings.Contains(err.Error(), `use one of "apps/v1 Deployment", "extensions`) {
		t.Errorf("two kinds give %v", err)
	}
	if _, err := pick(nil, "x"); err == nil || !strings.Contains(err.Error(), "it has none") {
		t.Errorf("no kinds give %v", err)
	}
}
