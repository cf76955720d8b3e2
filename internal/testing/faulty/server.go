package faulty

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/testing/apifake"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Server is the API server of package apifake, behind every fault there is a name
// for.
type Server struct {
	t   *testing.T
	API *apifake.Server
	rng *rand.Rand // of the goroutine that makes requests

	mu      sync.Mutex // guards everything below
	backups []*apifake.Backup
	behind  bool      // restored since it was last asked about that
	away    time.Time // until when nothing listens at its address
	lost    int64     // up to here watches leave events out
	faults  bool
	open    int // watches not yet closed
}

// New makes a server without objects, whose faults the random source decides.
func New(t *testing.T, rng *rand.Rand, version int64) *Server {
	return &Server{t: t, rng: rng, API: apifake.New(apifake.Options{Version: version}), faults: true}
}

// At is the version of the last write.
func (f *Server) At() string { return strconv.FormatInt(f.API.Version(), 10) }

// World is the versions of what there is by name.
func (f *Server) World() map[string]string {
	world := map[string]string{}
	for _, o := range f.API.Objects() {
		world[o.Name] = o.ResourceVersion
	}
	return world
}

// fault is true in one of n cases while faults last.
func (f *Server) fault(n int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.faults && f.rng.IntN(n) == 0
}

// Cease ends all faults.
func (f *Server) Cease() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = false
}

// Put creates something or changes it.
func (f *Server) Put(name string) {
	f.API.Put(&apifake.Object{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

// Remove deletes something.
func (f *Server) Remove(name string) { f.API.Delete("", name) }

// Untold has do change something that no watch tells of.
func (f *Server) Untold(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
	f.lost = f.API.Version()
}

// Change creates, changes or deletes something, unless the server is away.
func (f *Server) Change(rng *rand.Rand) {
	f.mu.Lock()
	defer f.mu.Unlock()
	name, deletes := string(rune('a'+rng.IntN(8))), rng.IntN(3) == 0
	if f.isAwayLocked() {
		return
	}
	const kept = 11
	f.backups = append(f.backups, f.API.Backup())
	f.backups = f.backups[max(0, len(f.backups)-kept):]
	if _, exists := f.API.Objects()["/"+name]; exists && deletes {
		f.Remove(name)
	} else {
		f.Put(name)
	}
}

func (f *Server) isAwayLocked() bool { return time.Now().Before(f.away) }

// Mishap is what befalls a whole server: its history is forgotten, or it is restored from a backup after a while in
// which nobody answers. Then the versions that its clients know are from the future.
func (f *Server) Mishap(rng *rand.Rand) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if rng.IntN(2) == 0 {
		f.API.Forget()
		return
	}
	f.away = time.Now().Add(time.Duration(40_000+rng.IntN(60_000)) * time.Millisecond)
	if n := len(f.backups); n > 0 {
		lost := rng.IntN(n)
		f.API.Restore(f.backups[lost])
		f.backups = slices.Clone(f.backups[:lost]) // the others are of another history
		f.behind = true
	}
	f.API.Restart()
}

// Watches is how many watches are open.
func (f *Server) Watches() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.open
}

// Restored reports whether the server was restored since the last call.
func (f *Server) Restored() (restored bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	restored, f.behind = f.behind, false
	return restored
}

var faultNames = []string{"busy", "busy-7s", "unavailable", "internal", "forbidden", "missing", "no-match", "refused", "broken", "expired", "too-new"}

// refuse is what a request may get instead of an answer.
func (f *Server) refuse(ctx context.Context) error {
	if f.isAway() {
		return Answer("refused")
	}
	time.Sleep(time.Duration(f.rng.IntN(200)) * time.Millisecond)
	switch {
	case f.fault(4):
		return Answer(faultNames[f.rng.IntN(len(faultNames))])
	case f.fault(20):
		<-ctx.Done()
	}
	return ctx.Err()
}

func (f *Server) isAway() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.isAwayLocked()
}

// List is as the server has it, unless something goes wrong.
func (f *Server) List(ctx context.Context, opts metav1.ListOptions) (listwatch.Page[Thing], error) {
	if err := f.refuse(ctx); err != nil {
		return listwatch.Page[Thing]{}, err
	}
	if opts.Continue != "" && f.fault(4) {
		return listwatch.Page[Thing]{}, apierrors.NewResourceExpired("continue token is too old")
	}
	list, err := f.API.List(ctx, opts)
	if err != nil {
		return listwatch.Page[Thing]{}, err
	}
	page := listwatch.Page[Thing]{Version: list.ResourceVersion, Continue: list.Continue}
	for i := range list.Items {
		page.Items = append(page.Items, Thing{list.Items[i].Name, list.Items[i].ResourceVersion})
	}
	if f.fault(10) {
		// Something that is there cannot be read; the list must not imply its end.
		page.Items = append(page.Items, Thing{})
		if len(page.Items) > 1 {
			page.Items = page.Items[1:]
		}
	}
	return page, nil
}

// Watch is as the server has it, unless something goes wrong.
func (f *Server) Watch(ctx context.Context, opts metav1.ListOptions) (listwatch.Stream[Thing], error) {
	if err := f.refuse(ctx); err != nil {
		return nil, err
	}
	api, err := f.API.Watch(ctx, opts)
	if err != nil {
		return nil, err
	}
	if refused := api.Refused(); refused != nil && f.rng.IntN(2) == 0 {
		return nil, refused // as servers of other versions do
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open++
	streams := opts.SendInitialEvents != nil
	return &stream{f: f, api: api, heard: streams, live: !streams}, nil
}

// stream brings what the server's watch does, unless something goes wrong.
type stream struct {
	f      *Server
	api    *apifake.Stream
	heard  bool // the client waits for initial events, or knows that there are bookmarks
	live   bool // the initial events are over
	closed bool
}

func (w *stream) Close() {
	w.api.Close()
	w.f.mu.Lock()
	defer w.f.mu.Unlock()
	if !w.closed {
		w.closed = true
		w.f.open--
	}
}

func (w *stream) Next(ctx context.Context) (listwatch.Event[Thing], error) {
	f := w.f
	switch {
	case f.fault(15):
		return listwatch.Event[Thing]{}, io.EOF
	case f.fault(30):
		return listwatch.Event[Thing]{}, Answer(faultNames[f.rng.IntN(len(faultNames))])
	case f.fault(25):
		return listwatch.Event[Thing]{Err: errors.New("bytes make no sense")}, nil
	}
	isMute := w.heard && f.fault(20)
	for {
		e, err := w.api.Next(ctx)
		switch {
		case errors.Is(err, io.EOF) && isMute && !f.isAway():
			<-ctx.Done() // the connection hangs; what breaks it is that the server goes away
			return listwatch.Event[Thing]{}, ctx.Err()
		case err != nil:
			return listwatch.Event[Thing]{}, err
		}
		if event, err := w.event(e); !isMute && !w.isLost(event) {
			return event, err
		}
	}
}

// isLost says whether a change is one of those that are not told.
func (w *stream) isLost(event listwatch.Event[Thing]) bool {
	version, err := strconv.ParseInt(event.New.Version, 10, 64)
	w.f.mu.Lock()
	defer w.f.mu.Unlock()
	return err == nil && w.live && version <= w.f.lost
}

// ops are what changes of objects are called.
var ops = map[watch.EventType]delta.Op{watch.Added: delta.Added, watch.Modified: delta.Updated, watch.Deleted: delta.Deleted}

// event is an event of the server as the Reflector knows it.
func (w *stream) event(e watch.Event) (listwatch.Event[Thing], error) {
	switch o := e.Object.(type) {
	case *metav1.Status:
		return listwatch.Event[Thing]{}, apierrors.FromObject(o)
	case *apifake.Object:
		event := listwatch.Event[Thing]{}
		event.Version = o.ResourceVersion
		if e.Type == watch.Bookmark {
			event.InitialEnd = o.Annotations[metav1.InitialEventsAnnotationKey] != ""
			w.live, w.heard = true, !event.InitialEnd
			return event, nil
		}
		event.Op, event.New = ops[e.Type], Thing{o.Name, o.ResourceVersion}
		return event, nil
	default:
		w.f.t.Errorf("the server says %T", o)
		return listwatch.Event[Thing]{}, io.EOF
	}
}
