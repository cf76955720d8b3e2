package cache

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	crtools "k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
)

// What follows is an API server without a network, so that a test can have it answer
// late, or not at all, on the clock of testing/synctest.

// answers are what it says, by resource.
type answers map[string]answer

type answer func(*http.Request) (*http.Response, error)

// RoundTrip answers a request.
func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	say := a[path[len(path)-1]]
	if say == nil {
		say = refusal(http.StatusNotFound)
	}
	return say(r)
}

// newCacheOver returns a cache over such a server.
func newCacheOver(t *testing.T, server answers, mapper meta.RESTMapper, ours Options) *Cache {
	t.Helper()
	return cacheOver(t, server, crcache.Options{Mapper: mapper}, ours)
}

// cacheOver is newCacheOver with controller-runtime's options.
func cacheOver(t *testing.T, server answers, opts crcache.Options, ours Options) *Cache {
	t.Helper()
	opts.HTTPClient, opts.DefaultWatchErrorHandler = &http.Client{Transport: server}, unheard
	c, err := NewWithOptions(&rest.Config{Host: "http://nowhere", QPS: -1}, opts, ours)
	must(t, err)
	return c
}

// unheard has client-go's handler of watch errors left out, which sleeps until a moment
// that it remembers of the test before, on another clock.
func unheard(context.Context, *crtools.Reflector, error) {}

// run runs a cache until stop is called, or until the test ends.
func run(t *testing.T, c *Cache) (stop func()) {
	t.Helper()
	group := lifecycle.New(t.Context())
	group.Go("cache", c.Start)
	stop = sync.OnceFunc(func() {
		group.Stop()
		if err := group.Wait(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// asked asks in a goroutine of its own, and sends what that returns.
func asked(t *testing.T, ask func(context.Context) error) <-chan error {
	t.Helper()
	answer := make(chan error, 1)
	group := lifecycle.New(t.Context())
	group.Guest("ask", func(ctx context.Context) { answer <- ask(ctx) })
	t.Cleanup(func() {
		group.Stop()
		_ = group.Wait() // what it returned is in the channel
	})
	return answer
}

// slowMapper knows all kinds, but may take its time to say so.
type slowMapper struct {
	meta.RESTMapper
	answered chan struct{} // closed by answer
	err      error
	once     sync.Once
	denies   atomic.Bool // the first who asks is told at once that there is no such kind
}

// newSlowMapper returns one that says nothing until it is told to.
func newSlowMapper() *slowMapper {
	return &slowMapper{RESTMapper: fakeMapper(), answered: make(chan struct{})}
}

// newMapper returns one that answers at once.
func newMapper() *slowMapper {
	m := newSlowMapper()
	m.answer(nil)
	return m
}

// newDenyingMapper returns one that says once that a kind is missing, and then nothing.
func newDenyingMapper() *slowMapper {
	m := newSlowMapper()
	m.denies.Store(true)
	return m
}

// answer has all who ask be told err, or the truth. The first call counts.
func (m *slowMapper) answer(err error) {
	m.once.Do(func() {
		m.err = err
		close(m.answered)
	})
}

// RESTMapping waits for the answer.
func (m *slowMapper) RESTMapping(kind schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	if m.denies.CompareAndSwap(true, false) {
		return nil, &meta.NoKindMatchError{GroupKind: kind, SearchedVersions: versions}
	}
	<-m.answered
	if m.err != nil {
		return nil, m.err
	}
	return m.RESTMapper.RESTMapping(kind, versions...)
}

// silence does not answer.
func silence(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// refusedWith is what a server says with an HTTP status.
func refusedWith(code int) metav1.Status {
	reasons := map[int]metav1.StatusReason{
		http.StatusForbidden: metav1.StatusReasonForbidden, http.StatusNotFound: metav1.StatusReasonNotFound,
		http.StatusBadRequest: metav1.StatusReasonBadRequest, http.StatusInternalServerError: metav1.StatusReasonInternalError,
	}
	return metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
		Code: int32(code), Reason: reasons[code], Message: "the server refuses this",
	}
}

// refusal is an answer with an HTTP status.
func refusal(code int) answer {
	return func(*http.Request) (*http.Response, error) { return respond(code, encode(refusedWith(code))), nil }
}

// emptyList answers lists, and watches with nothing.
func emptyList(r *http.Request) (*http.Response, error) {
	switch query := r.URL.Query(); {
	case query.Has("sendInitialEvents"):
		return refusal(http.StatusBadRequest)(r)
	case query.Get("watch") == "true":
		return respond(http.StatusOK, &slowBody{ctx: r.Context()}), nil
	default:
		return respond(http.StatusOK, encode(listOfOne(r, 0, ""))), nil
	}
}

// pages answers lists by so many pages with an object each, which take a while each.
// The last page, and all else, is what rest says.
func pages(number int, each time.Duration, rest answer) answer {
	return func(r *http.Request) (*http.Response, error) {
		query := r.URL.Query()
		page, _ := strconv.Atoi(query.Get("continue"))
		switch {
		case query.Has("sendInitialEvents"):
			return refusal(http.StatusBadRequest)(r)
		case query.Get("watch") == "true" || page == number:
			return rest(r)
		}
		select {
		case <-time.After(each):
			return respond(http.StatusOK, encode(listOfOne(r, 1, strconv.Itoa(page+1)))), nil
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
}

// stream answers lists by so many events, with a while before each. Whether the list
// ends then says the last argument.
func stream(number int, each time.Duration, ends bool) answer {
	return func(r *http.Request) (*http.Response, error) {
		if !r.URL.Query().Has("sendInitialEvents") {
			return silence(r)
		}
		body := &slowBody{ctx: r.Context(), each: each}
		for n := range number {
			body.parts = append(body.parts, encode(map[string]any{"type": "ADDED", "object": object(r, strconv.Itoa(n))}).Bytes())
		}
		if ends {
			last := object(r, "")
			last["metadata"] = map[string]any{
				"resourceVersion": "9", "annotations": map[string]string{metav1.InitialEventsAnnotationKey: "true"},
			}
			body.parts = append(body.parts, encode(map[string]any{"type": "BOOKMARK", "object": last}).Bytes())
		}
		return respond(http.StatusOK, body), nil
	}
}

// slowBody is read part by part, with a while before each, and then does not end before
// the request does.
type slowBody struct {
	ctx   context.Context
	each  time.Duration
	parts [][]byte
	left  []byte
}

// Read waits for the next part.
func (b *slowBody) Read(p []byte) (int, error) {
	if len(b.left) == 0 && len(b.parts) > 0 {
		select {
		case <-time.After(b.each):
			b.left, b.parts = b.parts[0], b.parts[1:]
		case <-b.ctx.Done():
		}
	}
	if len(b.left) == 0 {
		<-b.ctx.Done()
		return 0, b.ctx.Err()
	}
	n := copy(p, b.left)
	b.left = b.left[n:]
	return n, nil
}

func respond(code int, body io.Reader) *http.Response {
	return &http.Response{
		StatusCode: code, Status: http.StatusText(code), Body: io.NopCloser(body),
		Header: http.Header{"Content-Type": {"application/json"}}, ProtoMajor: 1, ProtoMinor: 1,
	}
}

func encode(v any) *bytes.Buffer {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		panic(err)
	}
	return &b
}

// kindOf is the kind that a request asks for.
func kindOf(r *http.Request) string {
	if strings.HasSuffix(r.URL.Path, "/secrets") {
		return "Secret"
	}
	return "ConfigMap"
}

func object(r *http.Request, name string) map[string]any {
	return map[string]any{
		"apiVersion": "v1", "kind": kindOf(r),
		"metadata": map[string]any{"namespace": "red", "name": "n" + name, "resourceVersion": "1", "uid": name},
	}
}

func listOfOne(r *http.Request, items int, next string) map[string]any {
	all := []any{}
	for range items {
		all = append(all, object(r, next))
	}
	return map[string]any{
		"apiVersion": "v1", "kind": kindOf(r) + "List", "items": all,
		"metadata": map[string]any{"resourceVersion": "2", "continue": next},
	}
}

// lines is what was logged.
type lines struct {
	mu  sync.Mutex // guards all
	all strings.Builder
}

func (l *lines) logger() logr.Logger {
	return funcr.New(func(_, args string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.all.WriteString(args + "\n")
	}, funcr.Options{})
}

// String returns all of it.
func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}
