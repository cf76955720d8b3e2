package main

import (
	"strings"
	"testing"
)

func TestTargets(t *testing.T) {
	for text, want := range map[string][2]string{
		"deployment/web":          {"deployment", "web"},
		"deployment web":          {"deployment", "web"},
		"apps/v1 Deployment/web":  {"apps/v1 Deployment", "web"},
		"v1 Pod (metadata)/a.b-c": {"v1 Pod (metadata)", "a.b-c"},
	} {
		args := []string{text}
		if kind, name, ok := strings.Cut(text, " "); ok && kind == "deployment" {
			args = []string{kind, name}
		}
		if kind, name, err := parseTarget(args); err != nil || kind != want[0] || name != want[1] {
			t.Errorf("%q is read as %q and %q (%v), want %q", text, kind, name, err, want)
		}
	}
	for _, text := range []string{"", "web", "/web", "deployment/", "/", " /web"} {
		if kind, name, err := parseTarget([]string{text}); err == nil {
			t.Errorf("%q is read as %q and %q", text, kind, name)
		}
	}
}

func FuzzTargets(f *testing.F) {
	f.Add("deployment/web")
	f.Add("apps/v1 Deployment/web")
	f.Add("//")
	f.Fuzz(func(t *testing.T, text string) {
		kind, name, err := parseTarget([]string{text})
		if err != nil {
			return
		}
		if kind+"/"+name != text || name == "" || strings.TrimSpace(kind) == "" || strings.Contains(name, "/") {
			t.Errorf("%q is read as %q and %q", text, kind, name)
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
