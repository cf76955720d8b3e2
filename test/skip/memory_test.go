package skip

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
	"github.com/delta-runtime/delta-runtime/internal/memory"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/manager"
)

// This file is about worlds with memories. A process ends in good order or is killed, then objects
// change while nobody runs, and the next process goes on with what the one before has saved:
//
//	life ──saves──▶ directory ──copied when it is killed──▶ directory of the next life
//	  └── what a killed life does after that has no effect: no output, no success
//
// A world kills a process only while nothing runs in its bubble. The disk is slow, and the bubble's time
// passes meanwhile. So a process is often killed while it saves.

// errKilled is returned by the calls of a process that was killed.
var errKilled = errors.New("the process was killed")

// keptMemory is where the manager's memory is. Without a root there is none.
type keptMemory struct {
	root   string
	number int                        // of the directory
	absent map[reconcile.Request]bool // primary objects that were not there when the manager started
	saving chan struct{}              // has an element when a save has begun
}

// unused are the traits of worlds in which the memory has nothing to say: a namespace alone can't be saved, nor
// can requests be that a source makes of nothing, and a handler that keeps its queue forgets it when the process ends.
const unused = departures | foreigners | channels | latecomers

// newMemoryPlan returns the plan of a seed, with memories.
func newMemoryPlan(seed uint64) *plan {
	without := resyncs | floods | keepers
	if !dice(seed).percent(10, "with all") {
		without |= unused
	}
	return makePlan(seed, memories|restarts, without)
}

// remember has the manager keep a memory, if the plan has it.
func (w *world) remember(t *testing.T) {
	t.Helper()
	if !w.has(memories) {
		return
	}
	root := t.TempDir()
	w.memory = keptMemory{root: root, saving: make(chan struct{}, 1)}
	w.server.describes = true
}

func (m *keptMemory) dir() string { return filepath.Join(m.root, fmt.Sprint(m.number)) }

func (w *world) withMemory() []manager.Option {
	if w.memory.root == "" {
		return nil
	}
	opts := manager.MemoryOptions{Version: "1"}
	if !w.dice.percent(10, "without Secrets") {
		opts.Key = []byte(strings.Repeat("k", 16))
	}
	return []manager.Option{manager.WithMemory(w.memory.dir(), opts)}
}

// slowDown makes the disk of a memory slow: a kind that does not exist is saved with the others, and takes its time.
func (w *world) slowDown(l *life) {
	m := memory.Of(l.cache)
	if m == nil {
		if w.memory.root != "" {
			w.fail(outOfTheWorld, "the manager has no memory")
		}
		return
	}
	for _, name := range []string{"aslow", "slow"} {
		m.AddKind(name, &slowKind{world: w, life: l, name: name})
	}
	m.AddLedger("slow", &slowLedger{world: w, life: l})
}

// slowly lets a while pass that depends on what and when.
func (w *world) slowly(what string) {
	time.Sleep(w.dice.pause([]time.Duration{1, time.Millisecond, 20 * time.Millisecond, 150 * time.Millisecond}[w.dice.roll(4, what, time.Since(w.began))], what))
}

// slowKind is a kind that takes long to save.
type slowKind struct {
	world *world
	life  *life
	name  string
}

var _ memory.Kind = (*slowKind)(nil)

// Print says nothing.
func (k *slowKind) Print() string { return "" }

// GroupVersion is one that the server describes.
func (k *slowKind) GroupVersion() string { return "v1" }

// ForgetRecalled does nothing.
func (k *slowKind) ForgetRecalled() {}

// Cut tells the world that a save begins.
func (k *slowKind) Cut() memory.Cut {
	if k.life.context.Err() == nil {
		k.world.note(func() string { return "       a save begins" })
		select {
		case k.world.memory.saving <- struct{}{}:
		default:
		}
	}
	k.world.slowly("cut " + k.name)
	return slowCut{}
}

// Encoder returns what takes a while.
func (k *slowKind) Encoder() func(buf []byte, obj any) ([]byte, error) {
	return func(buf []byte, _ any) ([]byte, error) {
		k.world.slowly("encode " + k.name)
		return append(buf, 'x'), nil
	}
}

// slowCut has one object.
type slowCut struct{}

// All yields it.
func (slowCut) All() iter.Seq2[delta.Key, any] {
	return func(yield func(delta.Key, any) bool) { yield(delta.Key{Name: "x"}, nil) }
}

// Release does nothing.
func (slowCut) Release() {}

// At is never the same.
func (slowCut) At() (version string, changes uint64, whole bool) { return "1", 0, false }

// slowLedger is a ledger that takes long to say that it has nothing.
type slowLedger struct {
	memory.Ledger // never called for the rest, because it saves nothing

	world *world
	life  *life
}

// Save takes a while.
func (l *slowLedger) Save() (m ledger.Memory, ok bool) {
	l.world.slowly("ledger")
	return m, false
}

// stay lets objects change while no process runs.
func (w *world) stay(meanwhile []*step) {
	for _, s := range meanwhile {
		time.Sleep(s.after)
		w.note(func() string { return "       while nobody runs: " + s.what })
		s.do(w)
	}
}

// nextLife ends the manager or kills it, lets objects change, and starts it again.
func (g *generator) nextLife() *step {
	kill := g.rng.IntN(2) == 0
	events := []func() *step{
		g.anySet, g.anySet, g.anyFlicker, g.rebirth, g.forgetting,
		func() *step { return g.create(g.anyObject()) }, func() *step { return g.remove(g.anyObject()) },
	}
	if g.has(moves) {
		events = append(events, g.anyMove, g.anyMove)
	}
	var meanwhile []*step
	for range g.rng.IntN(6) {
		s := pick(g.rng, events)()
		s.after = g.pause()
		meanwhile = append(meanwhile, s)
	}
	what := "the manager ends"
	if kill {
		what = "the manager is killed"
	}
	return g.newStep(what+", and another one goes on", func(w *world) { w.nextLife(kill, meanwhile) })
}

// forgetting has the server forget the past, and with it what has happened since the state was saved.
func (g *generator) forgetting() *step {
	if g.rng.IntN(3) > 0 {
		return g.anySet()
	}
	return g.newStep("the past is compacted away", func(w *world) { w.server.compact() })
}

// nextSave waits until the manager saves.
func (g *generator) nextSave() *step {
	return g.newStep("wait until the manager saves", func(w *world) {
		select {
		case <-w.memory.saving:
		default:
		}
		select {
		case <-w.memory.saving:
		case <-time.After(40 * time.Second): // it may not have to
		}
	})
}

func (w *world) nextLife(kill bool, meanwhile []*step) {
	if kill {
		w.kill()
	}
	w.stop()
	w.stay(meanwhile)
	w.note(func() string { return "       the manager starts again" })
	w.memory.absent = map[reconcile.Request]bool{}
	for _, id := range w.objects(w.primary()) {
		w.memory.absent[reconcile.Request{NamespacedName: id.key()}] = w.server.present(id) == nil
	}
	for _, o := range w.operators {
		o.forgetShown()
	}
	w.start(context.Background())
}

// kill has all that the manager does from now on have no effect.
func (w *world) kill() {
	synctest.Wait()
	w.running.dead.Store(true)
	before := w.memory.dir()
	w.memory.number++
	if err := os.CopyFS(w.memory.dir(), os.DirFS(before)); err != nil {
		w.fail(outOfTheWorld, "copy the memory: %v", err)
	}
	for _, o := range w.operators {
		o.interrupt()
	}
}

// interrupt notes that the calls that were running have not come to their end.
func (o *operator) interrupt() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for r, m := range o.requests {
		if m.running {
			m.failed, m.running = true, false
			o.note(func() string { return fmt.Sprintf("%-8s is interrupted at %s", o.temper, r) })
		}
	}
}

// forgetShown forgets what the watches have shown, because they begin again with what was saved. A call that has failed has
// failed, also for the next process.
func (o *operator) forgetShown() {
	failed := map[*knowledge]bool{}
	o.mu.Lock()
	for _, m := range o.requests {
		failed[m] = m.failed
	}
	o.mu.Unlock()
	o.forget()
	o.mu.Lock()
	defer o.mu.Unlock()
	for m, yes := range failed {
		m.failed, m.failedBefore = yes, yes
	}
}

// again reports whether the primary object is another one than the one that an earlier process has worked for. No process may have
// seen that one go. So an operator begins again, whatever it is told.
func (c *call) again() bool { return c.memory.absent[c.request] && c.newborn() }

// newborn reports whether the primary object has come into being since the process started. What earlier processes did for
// another object of its name does not count then.
func (c *call) newborn() bool {
	for change := range c.told.All() {
		if change.Is(delta.Primary) && change.Op == delta.Added {
			return true
		}
	}
	return false
}

// countSkip counts the skips in calls that begin with what an earlier process knew.
func (c *call) countSkip() {
	if c.told.Has(delta.Restart) {
		c.count(func(n *counts) { n.restSkipped++ })
	}
}
