package inspector

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/go-logr/logr"
)

// Options bound what a handler does. The zero value is ready for use.
type Options struct {
	// Actions lets [Guard] pass what changes something.
	Actions bool
	// Done ends all streams when it is closed. A server that shuts down waits for its
	// requests, and a stream does not end on its own. Nil never ends them.
	Done <-chan struct{}
	// Logger is told of each action, and of what went wrong in the operator.
	Logger logr.Logger
}

// handler answers what routes lists.
type handler struct {
	subject Subject
	opts    Options
	pace    pace
	process string            // tells this process from the one before; see place
	byPath  map[string]*route // never changes
	slots   chan struct{}     // holds a token for each stream
	answers chan struct{}     // holds a token for each answer that is made or sent
}

// pace is how patient the handler is.
type pace struct {
	heartbeat time.Duration // from one sign of life of a stream to the next
	write     time.Duration // how long a reader may take for what it is sent
	read      time.Duration // how long a caller may take to send a body
	stream    time.Duration // after which a reader has to show its rights again
	queue     time.Duration // how long a call waits until there are fewer answers
	list      time.Duration // how long a call waits for a list
}

var usualPace = pace{heartbeat: 15 * time.Second, write: 25 * time.Second, read: 10 * time.Second, stream: 10 * time.Minute, queue: 5 * time.Second, list: 8 * time.Second}

// New returns what answers below [Prefix]. It does not ask who calls: mount it behind a filter
// that does, or behind [Guard] on a loopback address.
func New(subject Subject, opts Options) http.Handler { return newHandler(subject, opts, usualPace) }

func newHandler(subject Subject, opts Options, pace pace) *handler {
	h := &handler{
		subject: subject, opts: opts, pace: pace, process: strings.ToLower(rand.Text()[:8]),
		byPath: map[string]*route{}, slots: make(chan struct{}, mostStreams), answers: make(chan struct{}, mostAnswers),
	}
	for _, r := range append(routes(), pageRoutes()...) {
		h.byPath[r.path] = &r
	}
	return h
}

// ServeHTTP finds the route and has it answer.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	secure(w.Header())
	c := &call{w: w, r: r, pace: h.pace, task: r.Method + " " + clip(r.URL.Path)}
	if err := h.serve(c); err != nil {
		h.problem(c, err)
	}
}

func (h *handler) serve(c *call) error {
	found := h.byPath[c.r.URL.Path]
	if found == nil && (c.r.URL.Path == "/" || c.r.URL.Path+"/" == Prefix) && (c.r.Method == http.MethodGet || c.r.Method == http.MethodHead) {
		c.w.Header().Set("Location", Prefix[1:]) // relative, so that it holds behind a proxy with a path of its own
		c.write(http.StatusFound, nil)
		return nil
	}
	if found == nil {
		return refuse(http.StatusNotFound, "there is nothing at this path; %sopenapi.json describes all that there is", api)
	}
	c.task = found.task
	if c.r.Method != found.method && (found.method != http.MethodGet || c.r.Method != http.MethodHead) {
		allow := found.method
		if allow == http.MethodGet {
			allow += ", " + http.MethodHead
		}
		c.w.Header().Set("Allow", allow)
		return refuse(http.StatusMethodNotAllowed, "%s takes %s, and not %s", found.path, allow, clip(c.r.Method))
	}
	var err error
	if c.query, err = parseQuery(c.r.URL.RawQuery, found.params); err != nil {
		return err
	}
	if err := h.resolve(c.query.texts); err != nil {
		return err
	}
	return found.serve(h, c)
}

// resolve puts the name of the kind in place of what the caller calls it, and refuses a controller that there is not.
func (h *handler) resolve(texts map[string]string) (err error) {
	if kind := texts["kind"]; kind != "" {
		if texts["kind"], err = findKind(h.subject.KindNames(), kind); err != nil {
			return err
		}
	}
	if controller := texts["controller"]; controller != "" {
		return findController(h.subject.ControllerNames(), controller)
	}
	return nil
}

// problem answers with an error.
func (h *handler) problem(c *call, err error) {
	if c.r.Context().Err() != nil && errors.Is(err, context.Canceled) { // or the reader has gone, and gets nothing
		c.problem(http.StatusServiceUnavailable, "the operator ends, and has not answered any more")
		return
	}
	status := statusOf(err)
	if status == http.StatusTooManyRequests && c.w.Header().Get("Retry-After") == "" {
		c.w.Header().Set("Retry-After", "2")
	}
	if status == http.StatusInternalServerError {
		h.opts.Logger.Error(err, "The inspector could not answer", "asked", c.task, "url", clip(c.r.URL.String()))
	}
	c.problem(status, err.Error())
}
