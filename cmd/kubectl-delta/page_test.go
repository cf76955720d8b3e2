package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/testing/standin"
)

func TestPageLeadsABrowserToTheInspector(t *testing.T) {
	i := healthy()
	i.answers["kinds"] = func(r *http.Request) any { return "for " + r.Header.Get("Authorization") }
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	link, ended := opened(ctx, []string{"page", "--url", inspect(t, i), "--token", "secret"})
	if got, want := browse(t, strings.TrimSpace(link)), "\"for Bearer secret\"\n"; got != want {
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
