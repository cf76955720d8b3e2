package sim

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/delta-runtime/delta-runtime/internal/testing/apifake"
)

// gate is how the server answers requests as such, whatever they ask for.
type gate uint8

const (
	gateOpen     gate = iota
	gateHang          // requests wait until the gate changes
	gateRefuse        // connection refused
	gateThrottle      // 429
)

// serverConfig is what does not change while a script runs.
type serverConfig struct {
	seed        uint64
	streaming   bool          // offers streaming lists
	pageCap     int           // most objects on a page, where a limit is asked for; 0: no cap
	duplicates  int           // every so many events are sent twice; 0: none
	slow        int           // every so many events are sent late; 0: none
	dawdle      int           // at most how often others get to run before an event is sent
	bookmarks   time.Duration // how often an idle watch gets a bookmark; 0: never
	lateEnd     bool          // live events may precede the end of a streaming list
	staleListed bool          // a list at "0" may show a past state
}

// server is the API server of package apifake for one client, with whatever may go wrong
// on the way between the two. It keeps a [transcript] of everything that its client took
// from it.
type server struct {
	cfg serverConfig
	api *apifake.Server

	mu      sync.Mutex // guards everything below; never held while sending or sleeping
	seq     int64      // of the last write
	epoch   int64      // counts restores from a backup
	version int64      // resource version of the last write
	backup  *backup
	lost    bool      // the client may have seen versions that a restore has lost
	stale   *snapshot // what a list at "0" shows, if cfg.staleListed

	gate    gate
	stalled bool    // watches stay connected and send nothing
	faults  []fault // each request takes the first
	live    *stream
	pages   map[string][]*corev1.ConfigMap // what was sent before each continue token
	expired map[string]bool                // continue tokens
	changed chan struct{}                  // closed and replaced whenever something above changes

	asked   time.Time // when the last request came
	atOnce  int       // how many came at that very instant
	swamped bool

	log transcript
}

type backup struct {
	etcd         *apifake.Backup
	seq, version int64
}

// snapshot is a state that is shown again later.
type snapshot struct {
	items   []*corev1.ConfigMap
	version int64
}

func newServer(cfg serverConfig) *server {
	every := cfg.bookmarks
	if every == 0 {
		every = -1
	}
	return &server{
		cfg: cfg,
		api: apifake.New(apifake.Options{Version: 4, Bookmarks: every, NoStreams: !cfg.streaming}),
		seq: 1, version: 4,
		pages: map[string][]*corev1.ConfigMap{}, expired: map[string]bool{},
		changed: make(chan struct{}),
	}
}

func (s *server) notifyLocked() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// write is one change of one object. Its revision is given by the script, so that
// two servers running one script agree on it however their writers interleave.
type write struct {
	kind  watch.EventType
	key   string
	rev   int64 // unique among the versions of the key
	uid   string
	color string
}

// String is how a write appears in a printed script.
func (w write) String() string {
	return fmt.Sprintf("%s %s@%d(%s,%s)", w.kind, w.key, w.rev, w.uid, w.color)
}

func (s *server) write(w write) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	// The epoch keeps versions written after a restore apart from those that the
	// lost history gave out, as writes to a restored etcd in practice do not.
	version := s.seq*4 + s.epoch%4
	s.api.Skip(version - 1 - s.version)
	key := splitKey(w.key)
	if w.kind == watch.Deleted {
		s.version = s.api.Delete(key.Namespace, key.Name)
	} else {
		s.version = s.api.Put(&apifake.Object{ObjectMeta: metav1.ObjectMeta{
			Namespace: key.Namespace, Name: key.Name, UID: types.UID(w.uid),
			Generation: w.rev, Labels: map[string]string{"color": w.color},
		}})
	}
	if s.version != version {
		panic(fmt.Sprintf("BUG: %v is version %d, want %d", w, s.version, version))
	}
	s.notifyLocked()
}

// configMap is an object as the client has it.
func configMap(o *apifake.Object) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: *o.ObjectMeta.DeepCopy()}
}

func formatVersion(v int64) string { return strconv.FormatInt(v, 10) }

// compact forgets the history, so that every watch that missed some of it has to
// list again.
func (s *server) compact() { s.api.Forget() }

func (s *server) takeBackup() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.backup = &backup{etcd: s.api.Backup(), seq: s.seq, version: s.version}
}

// keepStale makes the present what a list at "0" shows from now on.
func (s *server) keepStale() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cfg.staleListed {
		s.stale = &snapshot{items: s.itemsLocked(), version: s.version}
	}
}

// restore brings the backup back, as an operator does who lost an etcd: versions
// go back too, and no watch can resume.
func (s *server) restore() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.api.Restore(s.backup.etcd)
	s.api.Restart()
	s.seq, s.version = s.backup.seq, s.backup.version
	s.epoch++
	s.lost = true
	s.notifyLocked()
}

func (s *server) setGate(g gate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gate = g
	s.notifyLocked()
}

func (s *server) setStalled(stalled bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stalled = stalled
	s.notifyLocked()
}

// setFaults says how the next requests go wrong, one fault each.
func (s *server) setFaults(faults []fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = slices.Clone(faults)
}

func (s *server) takeFault() fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.faults) == 0 {
		return faultNone
	}
	first := s.faults[0]
	s.faults = s.faults[1:]
	return first
}

// cut ends the watch in progress, if there is one; with an event where it is an
// error, with the end of the stream where it is nil.
func (s *server) cut(with fault) {
	s.mu.Lock()
	live := s.live
	s.live = nil
	s.mu.Unlock()
	if live != nil {
		live.end(with)
	}
}

// watchAge is for how long the watch in progress has been there.
func (s *server) watchAge() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil {
		return 0
	}
	return time.Since(s.live.since)
}

// caughtUp reports whether the client follows a watch and has taken everything
// that there is.
func (s *server) caughtUp() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live != nil && s.live.following && s.live.from == s.version
}

// state is what a client that knows everything has.
func (s *server) state() world {
	s.mu.Lock()
	defer s.mu.Unlock()
	return worldOf(s.itemsLocked())
}

func (s *server) itemsLocked() (items []*corev1.ConfigMap) {
	for _, o := range s.api.Objects() {
		items = append(items, configMap(o))
	}
	return items
}

// admit waits at the gate.
func (s *server) admit(ctx context.Context) error {
	if s.hot() {
		<-ctx.Done() // or the bubble, whose time stands still, would never end
		return ctx.Err()
	}
	for {
		s.mu.Lock()
		g, changed := s.gate, s.changed
		s.mu.Unlock()
		switch g {
		case gateOpen:
			return ctx.Err()
		case gateRefuse:
			return faultRefused.err()
		case gateThrottle:
			return faultThrottled.err()
		case gateHang:
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// mostAtOnce is more requests than a client can have a reason for that lets no
// time pass between them.
const mostAtOnce = 1000

// hot reports whether the client is in a loop without a pause.
func (s *server) hot() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); !now.Equal(s.asked) {
		s.asked, s.atOnce = now, 0
	}
	s.atOnce++
	s.swamped = s.swamped || s.atOnce > mostAtOnce
	return s.swamped
}

// List, Watch and their variants with a context make the server what an informer
// is constructed with.
func (s *server) List(o metav1.ListOptions) (runtime.Object, error) {
	return s.ListWithContext(context.Background(), o)
}

func (s *server) Watch(o metav1.ListOptions) (watch.Interface, error) {
	return s.WatchWithContext(context.Background(), o)
}
