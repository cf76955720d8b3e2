package sim

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"
)

// initially fills the server before the informer starts.
type initially struct{ list []write }

func (s initially) String() string { return fmt.Sprint("initially ", s.list) }

func (s initially) run(r *runner) { r.writeAll(s.list, 1) }

// start runs the informer.
type start struct{ faults []fault }

func (s start) String() string { return fmt.Sprintf("start, with faults %v", s.faults) }

func (s start) run(r *runner) {
	r.server.setFaults(s.faults)
	r.letWritersGo()
	r.start()
}

// writes changes objects while the informer follows.
type writes struct {
	list    []write
	writers int
}

func (s writes) String() string { return fmt.Sprintf("writes by %d: %v", s.writers, s.list) }

func (s writes) run(r *runner) { r.writeAll(s.list, s.writers) }

// writeAll keeps the order of the writes of each key. The order among keys is free.
func (r *runner) writeAll(list []write, writers int) {
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for _, one := range list {
				if int(hashOf(one.key, state{})%uint64(writers)) == w {
					r.server.write(one)
				}
			}
		})
	}
	all.Wait()
}

// outage cuts the watch and refuses the client while objects change. If the history survives,
// the client resumes. If not, the client has to list, and its first requests have the given
// faults.
type outage struct {
	with   fault
	gate   gate
	list   []write
	down   time.Duration
	expire bool
	faults []fault
}

func (s outage) String() string {
	return fmt.Sprintf("outage: ended with %v, gate %d for %v, expire=%v, faults %v, missed %v", s.with, s.gate, s.down, s.expire, s.faults, s.list)
}

func (s outage) run(r *runner) {
	// For client-go a watch is broken if it ends in its first second without an event. Then it
	// lists again.
	if age := r.server.watchAge(); age < 2*time.Second {
		time.Sleep(2*time.Second - age)
		r.settle()
	}
	r.server.setGate(max(s.gate, gateHang))
	r.server.cut(s.with)
	time.Sleep(s.down)
	r.server.setFaults(s.faults)
	r.writeAll(s.list, 1)
	if s.expire {
		r.server.compact()
	}
	r.server.setGate(gateOpen)
	if s.down > time.Second { // after an outage ours may list once more within a minute; client-go does not
		r.settle()
		time.Sleep(2 * time.Minute)
	}
}

// keepBackup and restored make the server lose its newest history.
type keepBackup struct{}

func (s keepBackup) String() string { return "keep a backup" }

func (s keepBackup) run(r *runner) { r.server.takeBackup() }

type restored struct {
	list   []write
	gate   gate
	faults []fault
}

func (s restored) String() string {
	return fmt.Sprintf("restore, gate %d, faults %v, then %v", s.gate, s.faults, s.list)
}

func (s restored) run(r *runner) {
	r.server.setGate(max(s.gate, gateHang))
	r.server.cut(faultNone)
	time.Sleep(time.Second)
	r.server.restore()
	r.writeAll(s.list, 1)
	r.server.compact()
	r.server.setFaults(s.faults)
	r.server.setGate(gateOpen)
}

// stall keeps the watch connected and sends nothing.
type stall struct {
	list  []write
	lasts time.Duration
}

func (s stall) String() string { return fmt.Sprintf("stall for %v, over %v", s.lasts, s.list) }

func (s stall) run(r *runner) {
	r.server.setStalled(true)
	r.writeAll(s.list, 1)
	time.Sleep(s.lasts)
	r.server.setStalled(false)
}

// passes lets time pass.
type passes struct{ d time.Duration }

func (s passes) String() string { return fmt.Sprintf("%v pass", s.d) }

func (s passes) run(*runner) { time.Sleep(s.d) }

// disturb disturbs the server, and does not wait for the effects.
type disturb struct {
	cut     bool
	with    fault
	gate    gate
	compact bool
	stalled bool
	stale   bool
	faults  []fault
}

func (s disturb) String() string {
	type plain disturb
	return fmt.Sprintf("disturb %+v", plain(s))
}

func (s disturb) run(r *runner) {
	if s.stale {
		r.server.keepStale()
	}
	r.server.setGate(s.gate)
	r.server.setStalled(s.stalled)
	r.server.setFaults(s.faults)
	if s.cut {
		r.server.cut(s.with)
	}
	if s.compact {
		r.server.compact()
	}
}

// addHandler adds a handler. A resync below zero means the informer's default.
type addHandler struct {
	name   string
	slow   time.Duration
	resync time.Duration
}

func (s addHandler) String() string {
	return fmt.Sprintf("add handler %s, slow by %v, resync %v", s.name, s.slow, s.resync)
}

func (s addHandler) run(r *runner) {
	rec := newRecorder(s.name, s.slow, r.informer.GetStore())
	rec.check = r.checkObject
	h := &registered{recorder: rec, resync: s.resync, cut: -1}
	switch {
	case !r.running:
		h.cut = 0
	case !r.script.storm():
		h.cut = len(r.server.log.taken())
	}
	if h.resync < 0 {
		h.resync = r.script.resync
	}
	var err error
	h.registration, err = r.informer.AddEventHandlerWithResyncPeriod(rec, h.resync)
	if err != nil {
		r.fail("add handler %s: %v", s.name, err)
		return
	}
	r.handlers = append(r.handlers, h)
	r.watchRegistration(h)
}

// removeHandler removes a handler, and may wait for its last call.
type removeHandler struct {
	name string
	wait bool
}

func (s removeHandler) String() string {
	return fmt.Sprintf("remove handler %s, wait=%v", s.name, s.wait)
}

func (s removeHandler) run(r *runner) {
	for _, h := range r.handlers {
		if h.name != s.name {
			continue
		}
		var err error
		if s.wait {
			err = r.shutDown(h)
		} else {
			err = r.informer.RemoveEventHandler(h.registration)
		}
		if err == nil {
			err = r.informer.RemoveEventHandler(h.registration) // a second time does nothing
		}
		if err != nil {
			r.fail("remove handler %s: %v", s.name, err)
		}
		h.removed, h.callsAtEnd = true, -1
		h.left = len(r.server.log.taken())
		if s.wait || !r.script.storm() {
			h.callsAtEnd = h.done()
		}
	}
}

// shutDown removes a handler and waits for its last call.
func (r *runner) shutDown(h *registered) error {
	done := make(chan error, 1)
	go func() { done <- cache.ShutDownEventHandler(r.informer, h.registration) }()
	select {
	case err := <-done:
		return err
	case <-time.After(time.Hour):
		return errors.New("it had not ended an hour later")
	}
}

// addIndexer adds an index to an informer that may be running.
type addIndexer struct{ name string }

func (s addIndexer) String() string { return "add index " + s.name }

func (s addIndexer) run(r *runner) {
	if err := r.informer.AddIndexers(cache.Indexers{s.name: indexByParity}); err != nil {
		r.fail("add index %s: %v", s.name, err)
		return
	}
	r.indexers[s.name] = indexByParity
	if r.script.storm() {
		return
	}
	r.checkIndexes()
}

// start runs the informer until stop.
func (r *runner) start() {
	ctx, cancel := context.WithCancel(r.ctx)
	r.cancel, r.running = cancel, true
	r.watchSynced()
	go func() {
		defer close(r.ended)
		r.informer.RunWithContext(ctx)
	}()
}
