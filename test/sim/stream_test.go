package sim

import (
	"context"
	"runtime"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// stream is one watch. It hands events over one by one, without a buffer, so that
// the transcript holds what the client took, not what was on the way.
type stream struct {
	srv     *server
	ctx     context.Context
	since   time.Time
	timeout time.Duration
	events  chan watch.Event

	stopOnce sync.Once
	stopped  chan struct{} // closed by the client
	endOnce  sync.Once
	ended    chan struct{} // closed by the server
	last     fault         // with what it ended; written before ended is closed

	// The rest is the goroutine's own, but for next and following, which the
	// server's lock guards because the server asks whether the client caught up.
	initial   []*corev1.ConfigMap // a streaming list's
	fault     fault
	from      int64 // version up to which everything has been sent
	next      int   // position in the history of what is to be sent next
	following bool  // past the initial events
}

func newStream(ctx context.Context, s *server, o metav1.ListOptions) *stream {
	st := &stream{
		srv: s, ctx: ctx, since: time.Now(),
		timeout: 10 * time.Minute,
		events:  make(chan watch.Event),
		stopped: make(chan struct{}),
		ended:   make(chan struct{}),
	}
	if o.TimeoutSeconds != nil {
		st.timeout = time.Duration(*o.TimeoutSeconds) * time.Second
	}
	return st
}

func (st *stream) ResultChan() <-chan watch.Event { return st.events }

func (st *stream) Stop() { st.stopOnce.Do(func() { close(st.stopped) }) }

func (st *stream) end(with fault) {
	st.endOnce.Do(func() {
		st.last = with
		close(st.ended)
	})
}

func (st *stream) start() {
	timer := time.AfterFunc(st.timeout, func() { st.end(faultNone) })
	go func() {
		defer close(st.events)
		defer timer.Stop()
		defer st.forget()
		if st.fault == faultExpired {
			st.sendError(faultExpired)
			return
		}
		if !st.following && !st.streamList() {
			return
		}
		for st.step() {
		}
		select {
		case <-st.ended:
			if st.last != faultNone {
				st.sendError(st.last)
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

// streamList sends what there is, and then says that this is all.
func (st *stream) streamList() bool {
	state := map[string]*corev1.ConfigMap{}
	for i, object := range st.initial {
		if (st.fault == faultStreamCut || st.fault == faultStreamError) && i >= len(st.initial)/2 {
			break
		}
		if !st.send(watch.Event{Type: watch.Added, Object: object.DeepCopy()}) {
			return false
		}
		state[keyOf(object)] = object
	}
	switch st.fault {
	case faultStreamCut:
		return false
	case faultStreamError:
		st.sendError(faultStreamError)
		return false
	case faultStreamMute:
		st.wait(nil, nil)
		return false
	}
	if st.srv.cfg.lateEnd {
		for c, ok := st.peek(); ok; c, ok = st.peek() {
			if !st.send(watch.Event{Type: c.kind, Object: c.object.DeepCopy()}) {
				return false
			}
			if c.kind == watch.Deleted {
				delete(state, keyOf(c.object))
			} else {
				state[keyOf(c.object)] = c.object
			}
			st.advance(c)
		}
	}
	end := bookmark(st.from)
	end.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	entry := st.srv.log.listedMap(state, end.ResourceVersion)
	if !st.send(watch.Event{Type: watch.Bookmark, Object: end}) {
		st.srv.log.abort(entry)
		return false
	}
	st.srv.mu.Lock()
	st.following = true
	st.srv.mu.Unlock()
	return true
}

// peek returns what comes next in the history, if there is anything.
func (st *stream) peek() (change, bool) {
	st.srv.mu.Lock()
	defer st.srv.mu.Unlock()
	i := st.next - st.srv.dropped
	if i < 0 || i >= len(st.srv.history) {
		return change{}, false
	}
	return st.srv.history[i], true
}

func (st *stream) advance(c change) {
	st.srv.mu.Lock()
	defer st.srv.mu.Unlock()
	st.next++
	st.from = c.version
}

// step sends one event, or waits until there is one to send.
func (st *stream) step() bool {
	st.srv.mu.Lock()
	changed, stalled := st.srv.changed, st.srv.stalled
	st.srv.mu.Unlock()
	if stalled {
		return st.wait(changed, nil)
	}
	c, ok := st.peek()
	if !ok {
		return st.idle(changed)
	}
	if hit(st.srv.cfg.slow, st.srv.cfg.seed, c.version, 1) {
		pause := time.NewTimer(time.Duration(c.version%7) * 300 * time.Millisecond)
		defer pause.Stop()
		if !st.wait(nil, pause.C) {
			return false
		}
	}
	st.dawdle(c.version)
	if !st.deliver(c) {
		return false
	}
	if hit(st.srv.cfg.duplicates, st.srv.cfg.seed, c.version, 2) && !st.deliver(c) {
		return false
	}
	st.advance(c)
	return true
}

// dawdle lets others run for about as long as the index function does, so that an
// event may come while the one before is on its way into the store.
func (st *stream) dawdle(version int64) {
	if most := uint64(st.srv.cfg.dawdle); most > 0 {
		for range mix(st.srv.cfg.seed^uint64(version)) % most {
			runtime.Gosched()
		}
	}
}

func (st *stream) deliver(c change) bool {
	entry := st.srv.log.event(c)
	if !st.send(watch.Event{Type: c.kind, Object: c.object.DeepCopy()}) {
		st.srv.log.abort(entry)
		return false
	}
	return true
}

// idle waits for something to happen, and sends a bookmark now and then.
func (st *stream) idle(changed <-chan struct{}) bool {
	var due <-chan time.Time
	if st.srv.cfg.bookmarks > 0 {
		timer := time.NewTimer(st.srv.cfg.bookmarks)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-changed:
		return true
	case <-due:
		b := bookmark(st.from)
		entry := st.srv.log.bookmark(b.ResourceVersion)
		if !st.send(watch.Event{Type: watch.Bookmark, Object: b}) {
			st.srv.log.abort(entry)
			return false
		}
		return true
	case <-st.stopped:
	case <-st.ended:
	case <-st.ctx.Done():
	}
	return false
}

// wait returns true when either channel is ready, and false when the watch ends.
func (st *stream) wait(changed <-chan struct{}, due <-chan time.Time) bool {
	select {
	case <-changed:
		return true
	case <-due:
		return true
	case <-st.stopped:
	case <-st.ended:
	case <-st.ctx.Done():
	}
	return false
}

// send hands one event over, unless the watch has ended.
func (st *stream) send(e watch.Event) bool {
	select {
	case <-st.ended:
		return false
	default:
	}
	select {
	case st.events <- e:
		return true
	case <-st.stopped:
	case <-st.ended:
	case <-st.ctx.Done():
	}
	return false
}

// sendError is the one event that a watch may end with.
func (st *stream) sendError(f fault) {
	select {
	case st.events <- watch.Event{Type: watch.Error, Object: f.status()}:
	case <-st.stopped:
	case <-st.ctx.Done():
	}
}

func bookmark(version int64) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ResourceVersion: formatVersion(version)}}
}

// hit picks every so many of the versions, the same ones whoever asks.
func hit(every int, seed uint64, version int64, salt uint64) bool {
	return every > 0 && mix(seed^salt<<32^uint64(version))%uint64(every) == 0
}
