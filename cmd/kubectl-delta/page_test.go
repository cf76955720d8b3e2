package main

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/testing/standin"
)

func TestPageLeadsABrowserToTheInspector(t *testing.T) {
	i := healthy()
	base := inspect(t, i)
	i.HandleFunc("GET /delta/{$}", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "the page, for "+r.Header.Get("Authorization"))
	})
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	link, ended := opened(ctx, []string{"page", "--url", base, "--token", "secret"})
	if got, want := visit(t, strings.TrimSpace(link)), "the page, for Bearer secret"; got != want {
		t.Errorf("the browser shows %q, want %q", got, want)
	}
	interrupt()
	if got := <-ended; got.code != exitFine {
		t.Errorf("after an interrupt it ended with %d", got.code)
	}
}

// TestThePageGoesOnWithAnotherPod has the Pod go under a page that is open. The port-forward to it stays.
func TestThePageGoesOnWithAnotherPod(t *testing.T) {
	s := play(t, unauthorized, unauthorized)
	first := httptest.NewTLSServer(answers(t, nil)(""))
	s.api.Pods = []standin.Pod{{Pod: podOf("ops", "first", "control-plane=controller-manager"), Target: first.Listener.Addr().String()}}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	link, ended := opened(ctx, []string{"page", "--kubeconfig", s.kubeconfig, "--operator-namespace", "ops"})
	says := func(want string) {
		t.Helper()
		if got := browse(t, strings.TrimSpace(link)); !strings.Contains(got, want) {
			t.Errorf("the browser is told %.200q, want %q", got, want)
		}
	}
	says("apps/v1 Deployment")
	first.CloseClientConnections()
	first.Close()
	s.api.Pods = nil
	says("the port-forward reached the Pod and not its port: ")
	says("find the operator: there are no Pods")
	second := secure(t, answers(t, nil)(""))
	s.api.Pods = []standin.Pod{{Pod: podOf("ops", "second", "control-plane=controller-manager"), Target: second}}
	says("apps/v1 Deployment")
	interrupt()
	if got := <-ended; got.code != exitFine {
		t.Errorf("after an interrupt it ended with %d", got.code)
	}
}

// visit follows a link as a browser does.
func visit(t *testing.T, link string) string {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, link, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := (&http.Client{Jar: jar, Transport: transport}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
