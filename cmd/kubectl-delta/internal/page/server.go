package page

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/reach"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// home is where an inspector's page is.
const home = "/delta/"

// Server is a proxy on this machine.
type Server struct {
	listener net.Listener
	guard    guard
	keeper   *reach.Keeper
}

// Listen returns a Server that listens on a free port of this machine, and not of its network: everybody who
// reaches it can do what the token allows. keeper has the way to the inspector.
func Listen(ctx context.Context, keeper *reach.Keeper) (*Server, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen on a port of this machine: %w", err)
	}
	return &Server{listener: listener, guard: guard{host: listener.Addr().String(), key: rand.Text()}, keeper: keeper}, nil
}

// URL is what to open in a browser. It has the key.
func (s *Server) URL() string {
	return "http://" + s.guard.host + "/?" + url.Values{keyName: {s.guard.key}}.Encode()
}

// Serve serves until ctx ends.
func (s *Server) Serve(ctx context.Context) error {
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })() // streams of deltas never end by themselves
	if err := server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the page: %w", err)
	}
	return nil
}

// ServeHTTP lets the guard look at a request, and hands it on.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if problem := s.guard.look(r); problem != "" {
		refuse(w, r, problem)
		return
	}
	if r.URL.Query().Has(keyName) {
		s.guard.remember(w)
	}
	switch {
	case r.URL.Path == "/":
		http.Redirect(w, r, home, http.StatusSeeOther) // so that the key does not stay in the address
	case !strings.HasPrefix(r.URL.Path, home) || path.Clean(r.URL.Path) != strings.TrimSuffix(r.URL.Path, "/"):
		http.NotFound(w, r) // the operator may serve more there than its inspector
	default:
		s.handOn(w, r)
	}
}

// refuse says why in the form that is expected: the page reads JSON, and a person reads text.
func refuse(w http.ResponseWriter, r *http.Request, why string) {
	content, err := json.Marshal(v1.Problem{Status: http.StatusForbidden, Message: why})
	if err != nil || !strings.HasPrefix(r.URL.Path, home+"v1/") {
		http.Error(w, why, http.StatusForbidden)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusForbidden)
	_, _ = w.Write(content)
}

// handOn hands a request on to the inspector.
func (s *Server) handOn(w http.ResponseWriter, r *http.Request) {
	to, err := s.keeper.Connection(r.Context())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	(&httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { rewrite(r, to.Base) },
		Transport:     patient{to},
		FlushInterval: -1, // streams
		// The browser sees that an answer breaks off. A log would tell the terminal why, in words
		// of the other end and of the kubelet that nothing has cleaned.
		ErrorLog: log.New(io.Discard, "", 0),
		// A token that the operator does not accept is trouble of this proxy. To a 401 the page would ask
		// for a token, which does not get through.
		ModifyResponse: func(answer *http.Response) error {
			switch {
			case answer.StatusCode != http.StatusUnauthorized:
				return nil
			case to.Refrain != nil:
				return to.Refrain
			default:
				return errors.New("the operator does not accept the token, which may have expired; end this with Ctrl-C and start kubectl delta page again")
			}
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, fmt.Sprintf("ask the inspector: %v", err), http.StatusBadGateway)
		},
	}).ServeHTTP(w, r)
}

// patience is how long an answer may take to begin: a bit less than the page waits. An inspector begins sooner.
const patience = 9 * time.Second

// patient sends requests along a way, which is broken if an answer does not begin in time. The Pod may be gone, and nobody
// says so: its node may be gone, too.
type patient struct{ to *reach.Connection }

func (p patient) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context()) // it ends with the request
	late := time.AfterFunc(patience, func() { cancel(fmt.Errorf("%s has not answered in %s", p.to.Where, patience)) })
	answer, err := p.to.Transport.RoundTrip(r.WithContext(ctx))
	if late.Stop() && err == nil || r.Context().Err() != nil {
		return answer, err
	}
	p.to.Broken()
	return nil, cmp.Or(context.Cause(ctx), err)
}

// rewrite addresses a request to the inspector and takes out what is between the browser and
// this proxy only.
func rewrite(r *httputil.ProxyRequest, to *url.URL) {
	r.SetURL(to)
	r.Out.Host = to.Host
	query := r.Out.URL.Query()
	if query.Has(keyName) {
		query.Del(keyName)
		r.Out.URL.RawQuery = query.Encode()
	}
	for _, name := range []string{"Authorization", "Cookie", "Origin", "Referer", "Sec-Fetch-Site", "Sec-Fetch-Mode", "Sec-Fetch-Dest", "Sec-Fetch-User"} {
		r.Out.Header.Del(name)
	}
}
