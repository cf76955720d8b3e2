package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/testing/standin"
)

// witness notes the requests that a server gets.
type witness struct {
	mu   sync.Mutex // guards everything below
	seen []string
}

func (w *witness) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		request, _ := httputil.DumpRequest(r, true)
		w.mu.Lock()
		w.seen = append(w.seen, string(request))
		w.mu.Unlock()
		next.ServeHTTP(to, r)
	})
}

func (w *witness) requests() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.seen)
}

// innocent fails the test if a request had any token.
func (w *witness) innocent(t *testing.T) {
	t.Helper()
	for _, request := range w.requests() {
		if text := strings.ToLower(request); strings.Contains(text, "authorization") || strings.Contains(text, "-token") {
			t.Errorf("a stranger got\n%s", request)
		}
	}
}

// secure serves over TLS, as operators do, and returns the address.
func secure(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewTLSServer(h)
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

func podOf(namespace, name, label string) *corev1.Pod {
	key, value, _ := strings.Cut(label, "=")
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{key: value}}}
	p.Status.Phase = corev1.PodRunning
	return p
}

// scene is a cluster with an operator of kubebuilder's label, and a tenant's Pod with ours.
type scene struct {
	api                    *standin.APIServer
	kubeconfig             string
	operator, trap, beyond *witness
}

// play starts the servers. The trap's answer is the trap's; beyond is another server of the tenant's.
func play(t *testing.T, trap, operator func(beyond string) http.Handler) *scene {
	t.Helper()
	s := &scene{operator: &witness{}, trap: &witness{}, beyond: &witness{}}
	elsewhere := secure(t, s.beyond.before(http.NotFoundHandler()))
	s.api = &standin.APIServer{Tokens: "account-token", Pods: []standin.Pod{
		{Pod: podOf("tenant", "trap", "delta-runtime.dev/inspector=true"), Target: secure(t, s.trap.before(trap(elsewhere)))},
		{Pod: podOf("ops", "manager", "control-plane=controller-manager"), Target: secure(t, s.operator.before(operator(elsewhere)))},
	}}
	s.kubeconfig = s.api.Start(t)
	return s
}

func unauthorized(string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "Unauthorized", http.StatusUnauthorized) })
}

func redirects(to string) http.Handler {
	return http.RedirectHandler("https://"+to+"/delta/v1/kinds", http.StatusTemporaryRedirect)
}

// ender ends the command line that runs now.
type ender struct {
	now atomic.Pointer[context.CancelFunc]
}

func (e *ender) is(end context.CancelFunc) { e.now.Store(&end) }

func (e *ender) call() { (*e.now.Load())() }

// answers is an inspector whose stream ends at once.
func answers(t *testing.T, end *ender) func(string) http.Handler {
	t.Helper()
	return func(string) http.Handler {
		i := healthy()
		i.events = func(http.ResponseWriter, *http.Request) { end.call() }
		inspect(t, i)
		return i
	}
}

// visits runs a command line until it ends, or until it has said where the page is and a browser
// with a token of its own was there. The text that the browser got follows that of the command.
func visits(t *testing.T, end *ender, args []string) ran {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	end.is(interrupt)
	if args[0] != "page" {
		return runs(ctx, args...)
	}
	link, ended := opened(ctx, args)
	if link != "" {
		link += browse(t, strings.TrimSpace(link))
	}
	interrupt()
	got := <-ended
	got.out = link
	return got
}

// opened runs a command line of the page, and returns the line with the address when it is there. It is empty if the command has
// failed before.
func opened(ctx context.Context, args []string) (link string, ended <-chan ran) {
	out, in := io.Pipe()
	end := make(chan ran, 1)
	go func() {
		var errOut bytes.Buffer
		p := newProgram(in, &errOut, func(string) string { return "" })
		code := run(ctx, args, p)
		end <- ran{code: code, errOut: errOut.String()}
		_ = in.Close()
	}()
	link, _ = bufio.NewReader(out).ReadString('\n')
	return link, end
}

// browse opens the page's address as a browser does that has learned a token, and returns what
// it is told.
func browse(t *testing.T, link string) string {
	t.Helper()
	link = strings.Replace(link, "/?", "/delta/v1/kinds?", 1)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, link, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer browser-token")
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	answer, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
