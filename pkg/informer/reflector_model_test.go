package informer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/delta-runtime/delta-runtime/internal/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// usualSeeds is how many random scripts a model test plays.
const usualSeeds = 100

// TestReflectorSurvives plays random faults against a Reflector: whatever they
// are, once they cease the sink shows what the server has, the Reflector follows
// a watch, and no turn to list is lost. While they last the sink may lag behind,
// but is never told something that was not so.
func TestReflectorSurvives(t *testing.T) {
	seeds.Run(t, usualSeeds, func(t *testing.T, rng *rand.Rand) {
		synctest.Test(t, func(t *testing.T) { survive(t, rng) })
	})
}

func survive(t *testing.T, rng *rand.Rand) {
	t.Helper()
	requests := rand.New(rand.NewPCG(rng.Uint64(), 0))
	server := &faultyServer{t: t, rng: requests, world: map[string]string{}, version: 10, faults: true, changed: make(chan struct{})}
	sink := &worldSink{t: t, world: map[string]string{}}
	limiter := NewListLimiter(1 + rng.IntN(2))
	opts := ReflectorOptions[thing]{
		Kind: "things", Limiter: limiter,
		OnSkip:            func(context.Context, error) {},
		ReflectorSettings: ReflectorSettings{Lists: ListMode(1 + rng.IntN(2)), PageSize: rng.Int64N(4)},
	}
	r := NewReflector(server, sink, thingKey, opts)
	r.random = requests.Float64
	g := lifecycle.New(t.Context())
	g.Go("reflector", r.Run)

	wanted := uint64(0)
	for range 60 {
		server.change(rng)
		if rng.IntN(20) == 0 {
			server.mishap(rng)
		}
		if rng.IntN(10) == 0 {
			wanted = r.relists.ask()
		}
		// The odd microsecond keeps the server's timers from firing just now, when
		// it would be open who comes first.
		time.Sleep(time.Duration(rng.IntN(20_000))*time.Millisecond + time.Microsecond)
		synctest.Wait()
		if status := r.Status(); status.Why() == "" {
			t.Error("no sentence about the state of affairs")
		}
	}
	server.cease()
	// Twice the longest that anything may take: a stream's deadline, the longest
	// wait, and a watch that nobody ended.
	time.Sleep(time.Hour)
	server.change(rng)
	time.Sleep(time.Minute + time.Second) // the change may have met a watch that was being opened anew
	synctest.Wait()

	if got, want := fmt.Sprint(sink.world), fmt.Sprint(server.world); got != want {
		t.Errorf("an hour after the last fault the sink shows\n%v, the server\n%v\nstatus: %s", got, want, r.Status().Why())
	}
	if status := r.Status(); status.State != Following || !status.SyncedOnce || status.Version != server.at() {
		t.Errorf("an hour after the last fault the status is %+v, the server at %v", status, server.version)
	}
	if r.relists.waitFor(wanted) != nil {
		t.Error("an hour after the last fault somebody still waits for a new list")
	}
	g.Stop()
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
	if limiter.Taken() != 0 || limiter.Waiting() != 0 {
		t.Errorf("%d turns to list are taken and %d waited for after the end", limiter.Taken(), limiter.Waiting())
	}
	if server.open != 0 {
		t.Errorf("%d watches were not closed", server.open)
	}
}

// faultyServer is an API server with one kind, a history, and every fault there
// is a name for.
type faultyServer struct {
	t   *testing.T
	rng *rand.Rand // of the goroutine that makes requests

	mu        sync.Mutex        // guards everything below
	world     map[string]string // versions by name
	version   int
	epoch     int // counts restores from a backup
	listed    int // the epoch that was last listed
	compacted int // watches from here or before are refused
	log       []Event[thing]
	changed   chan struct{} // closed by the next change

	faults bool
	open   int // watches not yet closed
}

func (f *faultyServer) at() string { return strconv.Itoa(f.version) }

// fault is true in one of n cases while faults last.
func (f *faultyServer) fault(n int) bool { return f.faults && f.rng.IntN(n) == 0 }

func (f *faultyServer) cease() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = false
}

// change creates, changes or deletes something.
func (f *faultyServer) change(rng *rand.Rand) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.version++
	name := string(rune('a' + rng.IntN(8)))
	event := Event[thing]{Object: thing{name, f.at()}, Version: f.at()}
	switch _, exists := f.world[name]; {
	case !exists:
		event.Type = watch.Added
	case rng.IntN(3) == 0:
		event.Type = watch.Deleted
	default:
		event.Type = watch.Modified
	}
	if event.Type == watch.Deleted {
		delete(f.world, name)
	} else {
		f.world[name] = f.at()
	}
	f.log = append(f.log, event)
	f.wake()
}

func (f *faultyServer) wake() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// mishap is what befalls a whole server: its history is compacted, or it is
// restored from a backup, with other objects at versions that have been seen.
func (f *faultyServer) mishap(rng *rand.Rand) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.compacted = f.version
	if rng.IntN(2) == 0 {
		return
	}
	f.epoch++
	f.version = max(1, f.version-1-rng.IntN(10))
	f.log, f.compacted = nil, f.version
	for name := range f.world {
		delete(f.world, name)
	}
	for range rng.IntN(8) {
		name := string(rune('a' + rng.IntN(8)))
		f.world[name] = strconv.Itoa(1 + rng.IntN(f.version))
	}
	f.wake()
}

var faultNames = []string{"busy", "busy-7s", "unavailable", "internal", "forbidden", "missing", "no-match", "refused", "broken", "expired", "too-new"}

// refuse is what a request may get instead of an answer.
func (f *faultyServer) refuse(ctx context.Context) error {
	time.Sleep(time.Duration(f.rng.IntN(200)) * time.Millisecond)
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.fault(4):
		return answer(faultNames[f.rng.IntN(len(faultNames))])
	case f.fault(20):
		f.mu.Unlock()
		<-ctx.Done()
		f.mu.Lock()
	}
	return ctx.Err()
}

func (f *faultyServer) tooNew(version string) error {
	if n, err := strconv.Atoi(version); err == nil && n > f.version {
		return tooNew()
	}
	return nil
}

func (f *faultyServer) things() []thing {
	all := make([]thing, 0, len(f.world))
	for name, version := range f.world {
		all = append(all, thing{name, version})
	}
	slices.SortFunc(all, func(a, b thing) int { return strings.Compare(a.name, b.name) })
	return all
}

// List pages through the present; a continue token is "epoch/version/offset", and
// expires when either of the first two is no longer the present.
func (f *faultyServer) List(ctx context.Context, opts metav1.ListOptions) (Page[thing], error) {
	if err := f.refuse(ctx); err != nil {
		return Page[thing]{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.tooNew(opts.ResourceVersion); err != nil {
		return Page[thing]{}, err
	}
	f.listed = f.epoch
	all, offset := f.things(), 0
	if opts.Continue != "" {
		var epoch, version int
		if _, err := fmt.Sscanf(opts.Continue, "%d/%d/%d", &epoch, &version, &offset); err != nil {
			f.t.Fatal(err)
		}
		if epoch != f.epoch || version != f.version {
			return Page[thing]{}, apierrors.NewResourceExpired("continue token is too old")
		}
	}
	page := Page[thing]{Version: f.at(), Items: all[offset:]}
	if end := offset + int(opts.Limit); opts.Limit > 0 && end < len(all) {
		page.Items = all[offset:end]
		page.Continue = fmt.Sprintf("%d/%d/%d", f.epoch, f.version, end)
	}
	if f.fault(10) {
		// Something that is there cannot be read; the list must not imply its end.
		page.Items = append(page.Items, thing{})
		if len(page.Items) > 1 {
			page.Items = page.Items[1:]
		}
	}
	return page, nil
}

func (f *faultyServer) Watch(ctx context.Context, opts metav1.ListOptions) (Stream[thing], error) {
	if err := f.refuse(ctx); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.tooNew(opts.ResourceVersion); err != nil {
		return nil, err
	}
	w := &faultyWatch{f: f, epoch: f.epoch, ends: time.Now().Add(time.Duration(*opts.TimeoutSeconds) * time.Second)}
	if opts.SendInitialEvents != nil {
		for _, obj := range f.things() {
			w.initial = append(w.initial, Event[thing]{Type: watch.Added, Object: obj, Version: obj.version})
		}
		w.from = f.version
		f.listed = f.epoch
		w.initial = append(w.initial, Event[thing]{Type: watch.Bookmark, Version: f.at(), InitialEnd: true})
	} else {
		from, err := strconv.Atoi(opts.ResourceVersion)
		if err != nil {
			return nil, apierrors.NewBadRequest("version is no number")
		}
		// A server that was restored has been started anew and remembers nothing
		// from before. Without that no client could notice a restore once the new
		// history is longer than the old.
		if from < f.compacted || f.listed != f.epoch {
			return nil, apierrors.NewResourceExpired("too old")
		}
		w.from = from
	}
	f.open++
	return w, nil
}

// faultyWatch brings the server's log from a version on.
type faultyWatch struct {
	f       *faultyServer
	epoch   int
	from    int
	initial []Event[thing]
	ends    time.Time

	bookmark  bool // one is due
	bookmarks bool // one has been sent
	mute      bool
	closed    bool
}

func (w *faultyWatch) Close() {
	w.f.mu.Lock()
	defer w.f.mu.Unlock()
	if !w.closed {
		w.closed = true
		w.f.open--
	}
}

func (w *faultyWatch) Next(ctx context.Context) (Event[thing], error) {
	for ctx.Err() == nil {
		if event, changed, err := w.poll(); changed == nil {
			return event, err
		} else if w.mute {
			<-ctx.Done()
		} else {
			select {
			case <-changed:
			case <-time.After(time.Minute):
				w.bookmark = true
			case <-ctx.Done():
			}
		}
	}
	return Event[thing]{}, ctx.Err()
}

// poll is what the watch brings now, or a channel that tells when to ask again.
func (w *faultyWatch) poll() (Event[thing], <-chan struct{}, error) {
	f := w.f
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case w.epoch != f.epoch, !time.Now().Before(w.ends), f.fault(15):
		return Event[thing]{}, nil, io.EOF
	case f.fault(30):
		return Event[thing]{}, nil, answer(faultNames[f.rng.IntN(len(faultNames))])
	case f.fault(25):
		return Event[thing]{Type: watch.Added, Err: errors.New("bytes make no sense")}, nil, nil
	case (w.bookmarks || len(w.initial) > 0) && f.fault(20):
		w.mute = true // a connection that hangs
		return Event[thing]{}, f.changed, nil
	}
	if event, ok := w.ready(); ok {
		return event, nil, nil
	}
	if w.bookmark {
		w.bookmark, w.bookmarks = false, true
		return Event[thing]{Type: watch.Bookmark, Version: f.at()}, nil, nil
	}
	return Event[thing]{}, f.changed, nil
}

func (w *faultyWatch) ready() (Event[thing], bool) {
	if len(w.initial) > 0 {
		event := w.initial[0]
		w.initial = w.initial[1:]
		return event, true
	}
	for _, event := range w.f.log {
		if version, _ := strconv.Atoi(event.Version); version > w.from {
			w.from = version
			return event, true
		}
	}
	return Event[thing]{}, false
}

// worldSink builds the world from what it is told, and checks each telling.
type worldSink struct {
	t       *testing.T
	world   map[string]string
	version int
}

func (w *worldSink) moveTo(version string) {
	n, err := strconv.Atoi(version)
	if err != nil || n < w.version {
		w.t.Errorf("told of version %q after %d", version, w.version)
	}
	w.version = n
}

func (w *worldSink) Push(op delta.Op, obj thing, version string) error {
	w.moveTo(version)
	if _, exists := w.world[obj.name]; op != delta.Added && !exists {
		w.t.Logf("%v of %v, which a partial list left out", op, obj)
	}
	if op == delta.Deleted {
		delete(w.world, obj.name)
	} else {
		w.world[obj.name] = obj.version
	}
	return nil
}

func (w *worldSink) Replace(objs []thing, r Replacement) error {
	if n, _ := strconv.Atoi(r.Version); n < w.version != r.NewHistory {
		w.t.Errorf("list at %s after %d says new history: %v", r.Version, w.version, r.NewHistory)
	}
	w.version = 0
	w.moveTo(r.Version)
	if !r.Partial {
		clear(w.world)
	}
	for _, obj := range objs {
		w.world[obj.name] = obj.version
	}
	return nil
}

func (w *worldSink) Bookmark(version string) error {
	w.moveTo(version)
	return nil
}
