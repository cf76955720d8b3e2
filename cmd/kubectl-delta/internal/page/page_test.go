package page_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/ask"
	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/page"
	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/reach"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// served starts a page before an inspector that tells what it got, and returns its URL.
func served(t *testing.T) *url.URL {
	t.Helper()
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s host=%s cookie=%q auth=%q origin=%q", r.Method, r.URL, body, r.Host,
			r.Header.Get("Cookie"), r.Header.Get("Authorization"), r.Header.Get("Origin"))
	})
	c.Transport = withToken{c.Transport}
	return start(t, along(c))
}

// client asks an inspector that answers so.
func client(t *testing.T, answer http.HandlerFunc) *ask.Client {
	t.Helper()
	inspector := httptest.NewServer(answer)
	t.Cleanup(inspector.Close)
	base, err := url.Parse(inspector.URL)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &ask.Client{Base: base, Transport: transport}
}

// along is the way that a client has.
func along(c *ask.Client) *reach.Keeper {
	return reach.Keep(func(context.Context) (*reach.Connection, error) { return &reach.Connection{Client: c}, nil })
}

func start(t *testing.T, way *reach.Keeper) *url.URL {
	t.Helper()
	s, err := page.Listen(t.Context(), way)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the page ended with %v", err)
		}
	})
	u, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	return u
}

type withToken struct{ next http.RoundTripper }

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer secret")
	return w.next.RoundTrip(r)
}

// browser keeps cookies.
func browser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Jar: jar, Transport: transport}
}

func send(t *testing.T, c *http.Client, r *http.Request) (status int, body string) {
	t.Helper()
	answer, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(content)
}

func request(t *testing.T, method string, to *url.URL) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, to.String(), strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestABrowserThatFollowsTheLink(t *testing.T) {
	link, c := served(t), browser(t)
	status, body := send(t, c, request(t, http.MethodGet, link))
	if status != http.StatusOK || !strings.HasPrefix(body, "GET /delta/ ") {
		t.Errorf("the link leads to %d %q", status, body)
	}
	r := request(t, http.MethodPost, link.ResolveReference(&url.URL{Path: "/delta/v1/actions/relist", RawQuery: "a=b"}))
	r.Header.Set("Origin", "http://"+link.Host)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Authorization", "Bearer the browser's")
	status, body = send(t, c, r)
	if status != http.StatusOK || !strings.HasPrefix(body, "POST /delta/v1/actions/relist?a=b {} ") {
		t.Errorf("an action leads to %d %q", status, body)
	}
	if want := `cookie="" auth="Bearer secret" origin=""`; !strings.HasSuffix(body, want) || strings.Contains(body, link.Host) {
		t.Errorf("the inspector got %q, want %q and its own host", body, want)
	}
}

func TestTheKeyInTheAddressStaysHere(t *testing.T) {
	link := served(t)
	to := link.ResolveReference(&url.URL{Path: "/delta/v1/kinds", RawQuery: link.RawQuery + "&a=b"})
	status, body := send(t, browser(t), request(t, http.MethodGet, to))
	if status != http.StatusOK || !strings.HasPrefix(body, "GET /delta/v1/kinds?a=b ") {
		t.Errorf("the inspector got %d %q", status, body)
	}
}

func TestTheGuardRefuses(t *testing.T) {
	for name, change := range map[string]func(r *http.Request){
		"a name that points here":   func(r *http.Request) { r.Host = "evil.example.com:" + r.URL.Port() },
		"a name without the port":   func(r *http.Request) { r.Host = "localhost" },
		"another loopback name":     func(r *http.Request) { r.Host = "localhost:" + r.URL.Port() },
		"another port":              func(r *http.Request) { r.Host = "localhost:1" },
		"a name that only looks so": func(r *http.Request) { r.Host = "127.0.0.1.example.com:" + r.URL.Port() },
		"another site's script":     func(r *http.Request) { r.Header.Set("Origin", "https://evil.example.com") },
		"another port's script":     func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") },
		"a sandboxed frame":         func(r *http.Request) { r.Header.Set("Origin", "null") },
		"another scheme":            func(r *http.Request) { r.Header.Set("Origin", "https://"+r.URL.Host) },
		"another site's form":       func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"another port's form":       func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") },
		"no key":                    func(r *http.Request) { r.URL.RawQuery = "" },
		"a wrong key":               func(r *http.Request) { r.URL.RawQuery = "key=guess" },
		"an empty key":              func(r *http.Request) { r.URL.RawQuery = "key=" },
	} {
		t.Run(name, func(t *testing.T) {
			link := served(t)
			link.Path = "/delta/v1/actions/relist"
			r := request(t, http.MethodPost, link)
			change(r)
			if status, body := send(t, browser(t), r); status != http.StatusForbidden || strings.Contains(body, "host=") {
				t.Errorf("it got %d %q, want 403", status, body)
			}
		})
	}
}

func TestOtherPathsOfTheOperatorAreNotServed(t *testing.T) {
	for _, path := range []string{"/metrics", "/debug/pprof/", "/delta", "/delta/../metrics", "/delta//v1"} {
		link, c := served(t), browser(t)
		send(t, c, request(t, http.MethodGet, link))
		to := link.ResolveReference(&url.URL{Path: "/"})
		to.Path, to.RawQuery = path, ""
		if status, body := send(t, c, request(t, http.MethodGet, to)); strings.Contains(body, "host=") || status != http.StatusNotFound {
			t.Errorf("%s leads to %d %q, want 404", path, status, body)
		}
	}
}

// TestATokenThatIsNotAcceptedIsSaid has the token expire. The page would ask its user for another one,
// which the proxy does not send on.
func TestATokenThatIsNotAcceptedIsSaid(t *testing.T) {
	c := client(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "Unauthorized", http.StatusUnauthorized)
	})
	for _, test := range []struct {
		refrain error
		want    string
	}{
		{nil, "does not accept the token, which may have expired; end this with Ctrl-C and start kubectl delta page again"},
		{errors.New("nobody has named it"), "nobody has named it"},
	} {
		c.Refrain = test.refrain
		link := start(t, along(c))
		link.Path = "/delta/v1/kinds"
		status, body := send(t, browser(t), request(t, http.MethodGet, link))
		if status != http.StatusBadGateway || !strings.Contains(body, test.want) {
			t.Errorf("got %d %q, want 502 with %q", status, body, test.want)
		}
	}
}

// TestABrokenAnswerIsNotRepeatedOnTheTerminal has an operator that ends its answer with what a
// terminal obeys. The error of such an answer quotes it, and the log goes to the terminal.
func TestABrokenAnswerIsNotRepeatedOnTheTerminal(t *testing.T) {
	c := client(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\n\x1b[2J\r\n\r\n")
		_ = conn.Close()
	})
	var terminal bytes.Buffer
	log.SetOutput(&terminal)
	defer log.SetOutput(os.Stderr)
	link := start(t, along(c))
	link.Path = "/delta/v1/kinds"
	answer, err := browser(t).Do(request(t, http.MethodGet, link))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if _, err := io.ReadAll(answer.Body); err == nil {
		t.Error("the browser is not told that the answer is broken")
	}
	log.SetOutput(os.Stderr)
	if terminal.Len() > 0 {
		t.Errorf("the terminal got %q", &terminal)
	}
}

// TestAPageIsToldOfARefusalInItsOwnForm keeps the page from taking the guard for the operator's filter.
func TestAPageIsToldOfARefusalInItsOwnForm(t *testing.T) {
	link := served(t)
	link.Path, link.RawQuery = "/delta/v1/kinds", ""
	status, body := send(t, browser(t), request(t, http.MethodGet, link))
	var problem v1.Problem
	if err := json.Unmarshal([]byte(body), &problem); err != nil || status != http.StatusForbidden || problem.Status != status ||
		!strings.Contains(problem.Message, "the key is missing") {
		t.Errorf("got %d %q, error %v", status, body, err)
	}
}
