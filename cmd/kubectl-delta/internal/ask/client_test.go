package ask_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/ask"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client asks a server whose transport goes with the test.
func client(t *testing.T, base string) *ask.Client {
	t.Helper()
	where, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &ask.Client{Base: where, Where: "the test's operator", Tokens: "ask for one", Transport: transport}
}

func server(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}

func TestFailuresSayWhatToTry(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		body   string
		want   []string
	}{
		"explained":      {404, `{"status":404,"message":"the cache has no kind v1 Pod"}`, []string{"get kinds from the test's operator: the cache has no kind v1 Pod"}},
		"no token":       {401, `Unauthorized`, []string{"401", "that it accepts: ask for one"}},
		"no right":       {403, "Authorization denied", []string{"Authorization denied", `get on the nonResourceURLs ["/delta/*"]`, "another account: ask for one"}},
		"never":          {403, `{"status":403,"message":"actions are off"}`, []string{"get kinds from the test's operator: actions are off"}},
		"no inspector":   {404, "404 page not found\nsecond line", []string{`"404 page not found"`, "the port that it is on"}},
		"TLS was wanted": {400, "Client sent an HTTP request to an HTTPS server.", []string{"use the scheme https"}},
		"a redirect":     {302, "", []string{"302 Found", "check which operator"}},
		"a page":         {200, "<html>", []string{"not JSON", "check which operator"}},
		"half an answer": {200, `{"items": [`, []string{"not JSON"}},
		"broken":         {500, "", []string{"500 Internal Server Error"}},
		"nobody to ask":  {500, "Authentication failed\n", []string{"500", "asks the API server who you are", "tokenreviews", "/readyz", "BindAddress"}},
		"no reviews":     {500, "Authorization for user eve failed\n", []string{"user eve failed", "asks the API server who you are", "subjectaccessreviews"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := client(t, server(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "https://elsewhere.example.com/")
				w.WriteHeader(test.status)
				fmt.Fprint(w, test.body)
			}))
			_, err := c.Get(t.Context(), "kinds", nil)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
			if strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "second line") {
				t.Errorf("%q is more than a sentence", err)
			}
			if missing := name == "explained"; ask.Missing(err) != missing {
				t.Errorf("Missing says %t", !missing)
			}
			if lasting := test.status >= 400 && test.status < 500; ask.Lasting(err) != lasting {
				t.Errorf("Lasting says %t", !lasting)
			}
		})
	}
}

func TestWhoIsShownNoTokenSaysWhy(t *testing.T) {
	why := errors.New("nobody has named it")
	for status, bodies := range map[int]map[string]bool{
		http.StatusUnauthorized: {"": true, `{"status":401,"message":"a token, please"}`: true},
		http.StatusForbidden:    {"": true, `{"status":403,"message":"actions are off"}`: false},
		http.StatusNotFound:     {"": false},
	} {
		for body, want := range bodies {
			c := client(t, server(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				fmt.Fprint(w, body)
			}))
			c.Refrain = why
			_, err := c.Get(t.Context(), "kinds", nil)
			if errors.Is(err, why) != want || strings.Contains(err.Error(), why.Error()) != want || strings.Contains(err.Error(), "ask for one") {
				t.Errorf("%d %q: the error is %v, and that it says why: %t", status, body, err, want)
			}
		}
	}
}

func TestAnswersMayTakeOnlySoLong(t *testing.T) {
	c := client(t, server(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	c.Timeout = time.Millisecond
	if _, err := c.Get(t.Context(), "kinds", nil); err == nil || !strings.Contains(err.Error(), "no answer within 1ms") || ask.Lasting(err) {
		t.Errorf("the error is %v", err)
	}
}

// follow reads a stream to its end.
func follow(t *testing.T, c *ask.Client, after string) (got []string, end error) {
	t.Helper()
	for event, err := range c.Stream(t.Context(), url.Values{"op": {"Added"}}, after) {
		if err != nil {
			return got, err
		}
		got = append(got, event.Name+" "+string(event.Data))
	}
	return got, nil
}

// quiet says hello and no more, until the request ends.
type quiet struct{}

func (quiet) RoundTrip(r *http.Request) (*http.Response, error) {
	out, in := io.Pipe()
	go func() {
		_, _ = io.WriteString(in, ": hello\n\n")
		<-r.Context().Done()
		_ = in.CloseWithError(r.Context().Err())
	}()
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}}, Body: out, Request: r}, nil
}

func TestASilentStreamEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &ask.Client{Base: &url.URL{Scheme: "http", Host: "127.0.0.1"}, Transport: quiet{}}
		if _, err := follow(t, c, ""); err == nil || !strings.Contains(err.Error(), "nothing was heard") {
			t.Errorf("the stream ended with %v", err)
		}
	})
}

func TestAStreamIsNoPage(t *testing.T) {
	c := client(t, server(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }))
	if _, err := follow(t, c, ""); err == nil || !strings.Contains(err.Error(), "check which operator and which port") {
		t.Errorf("the stream ended with %v", err)
	}
}

func TestCancelledRequestsSaySo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client(t, "http://127.0.0.1:1").Get(ctx, "kinds", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}
