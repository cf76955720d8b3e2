package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/testing/standin"
)

// asking are command lines that ask an operator something, by their command.
var asking = map[string][]string{
	"status": {"status"}, "why": {"why", "site/blog", "-n", "demo"}, "watch": {"watch", "site"}, "history": {"history", "site/blog", "-n", "demo"},
	"diff": {"diff", "site/blog", "-n", "demo"}, "queue": {"queue"}, "memory": {"memory", "site"}, "resync": {"resync", "site"}, "relist": {"relist", "site"},
	"policies": {"policies", "set", "site", "--period", "1m"}, "forget": {"forget", "site", "demo/blog"}, "cancel": {"cancel", "site", "demo/blog"},
	"page": {"page"}, "top": {"top"},
}

// ways are flags that say which token is meant.
func ways(t *testing.T) map[string][]string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("file-token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return map[string][]string{
		"kubeconfig": nil, "given": {"--token", "given-token"}, "file": {"--token-file", file}, "account": {"--as-service-account", "ops/reader"},
	}
}

func TestEachCommandIsTriedOnStrangers(t *testing.T) {
	for _, c := range newProgram(io.Discard, io.Discard, os.Getenv).root().Commands() {
		if _, known := asking[c.Name()]; !known {
			t.Errorf("nobody has said whether the command %s asks an operator something", c.Name())
		}
	}
}

// TestNoTokenGoesToAStranger has a tenant who may create a Pod, and waits for somebody's token. Its user is told who asks, for what, and how to
// go on.
func TestNoTokenGoesToAStranger(t *testing.T) {
	end := &ender{}
	const asks = "asks for a token"
	for name, trap := range map[string]func(string) http.Handler{asks: unauthorized, "answers": answers(t, end), "redirects": redirects} {
		for from, flags := range ways(t) {
			t.Run(name+"/"+from, func(t *testing.T) {
				s := play(t, trap, unauthorized)
				// Beside the operator the trap is one of two.
				for command, line := range asking {
					got := visits(t, end, slices.Concat(line, flags, []string{"--kubeconfig", s.kubeconfig}))
					if got.code != exitError || !strings.Contains(got.errOut, "--operator-namespace ops --operator manager") ||
						!strings.Contains(got.errOut, "--operator-namespace tenant --operator trap") {
						t.Errorf("%s: with two Pods it ended with %d and said %q", command, got.code, got.errOut)
					}
				}
				if seen := s.trap.requests(); len(seen) > 0 {
					t.Errorf("one of two Pods was asked: %q", seen)
				}
				s.api.Pods = s.api.Pods[:1]
				for command, line := range asking {
					before := len(s.trap.requests())
					got := visits(t, end, slices.Concat(line, flags, []string{"--kubeconfig", s.kubeconfig}))
					if len(s.trap.requests()) == before {
						t.Errorf("%s: the only Pod was not asked: %q", command, got.errOut)
					}
					if name != asks {
						continue
					}
					for _, want := range []string{"Pod trap in namespace tenant", "asks for a token", "the person who runs it would see your token", " --operator-namespace tenant\n"} {
						if !strings.Contains(got.errOut, want) {
							t.Errorf("%s: it said %q, want %q", command, got.errOut, want)
						}
					}
					if got.code != exitError || got.out != "" || strings.Contains(got.errOut, "given-token") {
						t.Errorf("%s: it ended with %d and said %q %q", command, got.code, got.out, got.errOut)
					}
				}
				s.trap.innocent(t)
				s.beyond.innocent(t)
			})
		}
	}
}

// TestANamedOperatorGetsTheToken is what the others are worth something for.
func TestANamedOperatorGetsTheToken(t *testing.T) {
	end := &ender{}
	for from, flags := range ways(t) {
		for _, named := range []struct{ environment, flag string }{{"", "--operator-namespace=ops"}, {"ops", "--port=0"}, {"tenant", "--operator-namespace=ops"}} {
			s := play(t, unauthorized, answers(t, end))
			var out, errOut bytes.Buffer
			p := newProgram(&out, &errOut, namespaceIs(named.environment))
			if code := run(t.Context(), slices.Concat([]string{"status", "--kubeconfig", s.kubeconfig, named.flag}, flags), p); code != exitFine {
				t.Errorf("%s: it ended with %d and said %q", from, code, &errOut)
			}
			want := "Authorization: Bearer " + map[string]string{
				"kubeconfig": standin.Token, "given": "given-token", "file": "file-token", "account": "account-token",
			}[from]
			for _, request := range s.operator.requests() {
				if !strings.Contains(request, want) {
					t.Errorf("%s: the operator got\n%s", from, request)
				}
			}
			if asked := slices.DeleteFunc(s.api.Asked(), func(path string) bool { return path != "POST /api/v1/namespaces/ops/serviceaccounts/reader/token" }); len(asked) > 1 {
				t.Errorf("%s: for several requests it asked for %d tokens", from, len(asked))
			}
			if len(s.operator.requests()) == 0 || len(s.trap.requests()) > 0 {
				t.Errorf("%s: the operator got %d requests, and the other Pod %d", from, len(s.operator.requests()), len(s.trap.requests()))
			}
		}
	}
}

func namespaceIs(namespace string) func(string) string {
	return func(name string) string {
		if name == "KUBECTL_DELTA_OPERATOR_NAMESPACE" {
			return namespace
		}
		return ""
	}
}

// TestNoRedirectIsFollowedWithAToken has an operator that is named and leads elsewhere. Through a
// port-forward all ways lead to its Pod; an address has no such bound.
func TestNoRedirectIsFollowedWithAToken(t *testing.T) {
	end := &ender{}
	s := play(t, unauthorized, redirects)
	for _, flags := range [][]string{
		{"--kubeconfig", s.kubeconfig, "--operator-namespace", "ops"},
		{"--url", "https://" + s.api.Pods[1].Target, "--insecure-skip-tls-verify", "--token", "given-token"},
	} {
		for command, line := range asking {
			before := len(s.operator.requests())
			visits(t, end, slices.Concat(line, flags))
			if asked := len(s.operator.requests()) - before; asked != 1 {
				t.Errorf("%s: the operator was asked %d times", command, asked)
			}
		}
	}
	if seen := s.beyond.requests(); len(seen) > 0 {
		t.Errorf("it followed a redirect, with\n%s", seen)
	}
}
