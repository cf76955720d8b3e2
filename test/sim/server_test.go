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

// gate says whether the server answers requests at all.
type gate uint8

const (
	gateOpen     gate = iota
	gateHang          // requests wait until the gate changes
	gateRefuse        // connection refused
	gateThrottle      // 429
)

// serverConfig has the settings that do not change while a script runs.
type serverConfig struct {
	seed        uint64
	streaming   bool          // offers streaming lists
	pageCap     int           // largest page of a list with a limit; 0: no bound
	duplicates  int           // every so many events are sent twice; 0: none
	slow        int           // every so many events are sent late; 0: none
	dawdle      int           // how often other goroutines get to run before an event is sent, at most
	bookmarks   time.Duration // how often an idle watch gets a bookmark; 0: never
	lateEnd     bool          // live events may precede the end of a streaming list
	staleListed bool          // a list at "0" may show a past state
}

// server is the API server of package apifake for one client, with the faults between the
// two. It keeps a [transcript] of everything that its client has received.
type server struct {
	cfg serverConfig
	api *apifake.Server

	mu      sync.Mutex // guards everything below; never held while sending or sleeping
	seq     int64      // of the last write
	epoch   int64      // number of restores from a backup
	version int64      // resource version of the last write
	backup  *backup
	lost    bool      // the client may have seen versions that a restore has lost
	stale   *snapshot // what a list at "0" shows, if cfg.staleListed

	gate    gate
	stalled bool    // watches stay connected and send nothing
	faults  []fault // each request takes the first of them
	live    *stream
	pages   map[string][]*corev1.ConfigMap // what was sent before each continue token
	expired map[string]bool                // continue tokens
	changed chan struct{}                  // closed and replaced when something above changes

	asked   time.Time // time of the last request
	atOnce  int       // number of requests at that moment
	swamped bool

	log transcript
}

type backup struct {
	etcd         *apifake.Backup
	seq, version int64
}

// snapshot is a state that the server shows again later.
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

// write is one change of one object. The script decides about its revision. So two servers
// with the same script agree on it, whatever the order of their writers is.
type write struct {
	kind  watch.EventType
	key   string
	rev   int64 // unique among the versions of the key
	uid   string
	color string
}

// String is the text of a write in a printed script.
func (w write) String() string {
	return fmt.Sprintf("%s %s@%d(%s,%s)", w.kind, w.key, w.rev, w.uid, w.color)
}

func (s *server) write(w write) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	// With the epoch, versions after a restore differ from those of the lost history. With a
	// real etcd they may be the same.
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

// configMap is an object in the form that the client gets.
func configMap(o *apifake.Object) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: *o.ObjectMeta.DeepCopy()}
}

func formatVersion(v int64) string { return strconv.FormatInt(v, 10) }

// compact forgets the history. So a client that has missed a part of it has to list again.
func (s *server) compact() { s.api.Forget() }

func (s *server) takeBackup() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.backup = &backup{etcd: s.api.Backup(), seq: s.seq, version: s.version}
}

// keepStale keeps the present state for later lists at "0".
func (s *server) keepStale() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cfg.staleListed {
		s.stale = &snapshot{items: s.itemsLocked(), version: s.version}
	}
}

// restore restores the backup, as an administrator does who has lost an etcd. Versions go
// back too, and no watch can be resumed.
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

// setFaults sets the faults of the next requests, one for each.
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

// cut ends the present watch, if there is one. If the fault is an error, it ends with an
// error event, otherwise with the end of the stream.
func (s *server) cut(with fault) {
	s.mu.Lock()
	live := s.live
	s.live = nil
	s.mu.Unlock()
	if live != nil {
		live.end(with)
	}
}

// watchAge is the age of the present watch.
func (s *server) watchAge() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil {
		return 0
	}
	return time.Since(s.live.since)
}

// caughtUp reports whether the client follows a watch and has received everything.
func (s *server) caughtUp() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live != nil && s.live.following && s.live.from == s.version
}

// state is the state of a client that knows everything.
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
		<-ctx.Done() // otherwise the bubble would never end, because its time stands still
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

// mostAtOnce is more requests than a correct client makes without a pause.
const mostAtOnce = 1000

// hot reports whether the client sends requests in a loop without a pause.
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

// List, Watch and their variants with a context make the server a ListerWatcher, which an
// informer needs.
func (s *server) List(o metav1.ListOptions) (runtime.Object, error) {
	return s.ListWithContext(context.Background(), o)
}

func (s *server) Watch(o metav1.ListOptions) (watch.Interface, error) {
	return s.WatchWithContext(context.Background(), o)
}
