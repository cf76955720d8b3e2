package sim

import (
	"context"
	"runtime"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/delta-runtime/delta-runtime/internal/testing/apifake"
)

// stream is one watch. It sends events one by one without a buffer. So the transcript has
// exactly the events that the client has received.
type stream struct {
	srv    *server
	api    *apifake.Stream
	client context.Context
	ctx    context.Context // ends with the client's context, with the client's Stop, and with end
	cancel context.CancelFunc
	since  time.Time
	lasts  time.Duration
	events chan watch.Event

	endOnce sync.Once
	ended   chan struct{} // closed by the server
	last    fault         // why it ended; written before ended is closed
	stopped chan struct{} // closed by the client
	stop    func()

	// Only the stream's goroutine uses the rest, except from and following. The server's lock
	// guards these two, because the server asks whether the client has caught up.
	fault     fault
	shown     map[string]*corev1.ConfigMap // the objects of a streaming list
	from      int64                        // version up to which everything has been sent
	following bool                         // past the initial events
}

func newStream(ctx context.Context, s *server, api *apifake.Stream, o metav1.ListOptions) *stream {
	st := &stream{
		srv: s, api: api, client: ctx, since: time.Now(), lasts: 10 * time.Minute,
		events:  make(chan watch.Event),
		ended:   make(chan struct{}),
		stopped: make(chan struct{}),
		shown:   map[string]*corev1.ConfigMap{},
	}
	if o.TimeoutSeconds != nil {
		st.lasts = time.Duration(*o.TimeoutSeconds) * time.Second
	}
	st.ctx, st.cancel = context.WithCancel(ctx)
	st.stop = sync.OnceFunc(func() {
		close(st.stopped)
		st.cancel()
	})
	return st
}

func (st *stream) ResultChan() <-chan watch.Event { return st.events }

func (st *stream) Stop() { st.stop() }

func (st *stream) end(with fault) {
	st.endOnce.Do(func() {
		st.last = with
		close(st.ended)
		st.cancel()
	})
}

func (st *stream) start() {
	// A stalled stream also ends at its time, without asking the server.
	timer := time.AfterFunc(st.lasts, func() { st.end(faultNone) })
	go func() {
		defer close(st.events)
		defer timer.Stop()
		defer st.cancel()
		defer st.api.Close()
		defer st.forget()
		for st.step() {
		}
		select {
		case <-st.ended:
			if st.last != faultNone {
				st.sendError(st.last.status())
			}
		default:
		}
	}()
}

func (st *stream) forget() {
	st.srv.mu.Lock()
	defer st.srv.mu.Unlock()
	if st.srv.live == st {
		st.srv.live = nil
	}
}

// step sends what comes next.
func (st *stream) step() bool {
	e, ok := st.next()
	if !ok {
		return false
	}
	switch o := e.Object.(type) {
	case *metav1.Status:
		st.sendError(o)
		return false
	case *apifake.Object:
		switch {
		case !st.following:
			return st.initial(e.Type, configMap(o))
		case e.Type == watch.Bookmark:
			return st.bookmark(configMap(o))
		default:
			return st.change(e.Type, configMap(o))
		}
	}
	return false
}

// next returns the server's next event, unless the connection is stalled.
func (st *stream) next() (watch.Event, bool) {
	e, err := st.api.Next(st.ctx)
	if err != nil {
		return e, false
	}
	for {
		st.srv.mu.Lock()
		changed, stalled := st.srv.changed, st.srv.stalled && st.following
		st.srv.mu.Unlock()
		if !stalled {
			return e, true
		}
		if !st.wait(changed, nil) {
			return e, false
		}
	}
}

// initial sends an object of a streaming list, or the bookmark at its end.
func (st *stream) initial(kind watch.EventType, o *corev1.ConfigMap) bool {
	half := len(st.srv.api.Objects()) / 2
	switch {
	case st.fault == faultStreamMute && kind == watch.Bookmark:
		st.wait(nil, nil)
		return false
	case st.fault == faultStreamCut && (kind == watch.Bookmark || len(st.shown) >= half):
		return false
	case st.fault == faultStreamError && (kind == watch.Bookmark || len(st.shown) >= half):
		st.sendError(faultStreamError.status())
		return false
	case kind == watch.Bookmark:
		return st.listed(o)
	default:
		st.shown[keyOf(o)] = o
		return st.send(watch.Event{Type: kind, Object: o.DeepCopy()})
	}
}

// listed ends a streaming list.
func (st *stream) listed(end *corev1.ConfigMap) bool {
	version, _ := parseVersion(end.ResourceVersion)
	st.moveTo(version, false)
	for st.srv.cfg.lateEnd && st.isBehind() {
		e, ok := st.next()
		if !ok {
			return false
		}
		o := configMap(e.Object.(*apifake.Object))
		if !st.send(watch.Event{Type: e.Type, Object: o.DeepCopy()}) {
			return false
		}
		if e.Type == watch.Deleted {
			delete(st.shown, keyOf(o))
		} else {
			st.shown[keyOf(o)] = o
		}
		version, _ = parseVersion(o.ResourceVersion)
		st.moveTo(version, false)
		end.ResourceVersion = o.ResourceVersion
	}
	entry := st.srv.log.listedMap(st.shown, end.ResourceVersion)
	if !st.send(watch.Event{Type: watch.Bookmark, Object: end}) {
		st.srv.log.abort(entry)
		return false
	}
	st.moveTo(version, true)
	return true
}

func (st *stream) isBehind() bool {
	st.srv.mu.Lock()
	defer st.srv.mu.Unlock()
	return st.from < st.srv.version
}

func (st *stream) moveTo(version int64, following bool) {
	st.srv.mu.Lock()
	defer st.srv.mu.Unlock()
	st.from, st.following = version, following
}

func (st *stream) bookmark(o *corev1.ConfigMap) bool {
	entry := st.srv.log.bookmark(o.ResourceVersion)
	if !st.send(watch.Event{Type: watch.Bookmark, Object: o}) {
		st.srv.log.abort(entry)
		return false
	}
	return true
}

// change sends a change. It may send it late, or twice.
func (st *stream) change(kind watch.EventType, o *corev1.ConfigMap) bool {
	version, _ := parseVersion(o.ResourceVersion)
	if hit(st.srv.cfg.slow, st.srv.cfg.seed, version, 1) {
		pause := time.NewTimer(time.Duration(version%7) * 300 * time.Millisecond)
		defer pause.Stop()
		if !st.wait(nil, pause.C) {
			return false
		}
	}
	st.dawdle(version)
	if !st.deliver(kind, o) {
		return false
	}
	if hit(st.srv.cfg.duplicates, st.srv.cfg.seed, version, 2) && !st.deliver(kind, o) {
		return false
	}
	st.moveTo(version, true)
	return true
}

// dawdle lets other goroutines run for about as long as the index function takes. So an event
// may come while the earlier one is put into the store.
func (st *stream) dawdle(version int64) {
	if most := uint64(st.srv.cfg.dawdle); most > 0 {
		for range mix(st.srv.cfg.seed^uint64(version)) % most {
			runtime.Gosched()
		}
	}
}

func (st *stream) deliver(kind watch.EventType, o *corev1.ConfigMap) bool {
	entry := st.srv.log.event(kind, o)
	if !st.send(watch.Event{Type: kind, Object: o.DeepCopy()}) {
		st.srv.log.abort(entry)
		return false
	}
	return true
}

// wait returns true when either channel is ready, and false when the watch ends.
func (st *stream) wait(changed <-chan struct{}, due <-chan time.Time) bool {
	select {
	case <-changed:
		return true
	case <-due:
		return true
	case <-st.ctx.Done():
		return false
	}
}

// send sends one event, unless the watch has ended.
func (st *stream) send(e watch.Event) bool {
	if st.ctx.Err() != nil {
		return false
	}
	select {
	case st.events <- e:
		return true
	case <-st.ctx.Done():
		return false
	}
}

// sendError sends the one error event with which a watch may end.
func (st *stream) sendError(status *metav1.Status) {
	select {
	case st.events <- watch.Event{Type: watch.Error, Object: status}:
	case <-st.stopped:
	case <-st.client.Done():
	}
}

// hit picks every n-th version, the same ones each time.
func hit(every int, seed uint64, version int64, salt uint64) bool {
	return every > 0 && mix(seed^salt<<32^uint64(version))%uint64(every) == 0
}
