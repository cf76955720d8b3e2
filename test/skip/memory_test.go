package skip

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/manager"
)

// This file is about worlds with memories. A process ends in good order or is killed, then objects
// change while nobody runs, and the next process has a directory that an earlier one has left:
//
//	life ──saves──▶ directory ──copied when it is killed──▶ directory of the next life
//	  └── what a killed life does after that has no effect: no output, no success
//
// That directory may be the newest, that of a life long ago, as another replica leaves it, damaged, or that of another
// cluster. Nothing may be skipped because of it, whatever is in it.

// errKilled is returned by the calls of a process that was killed.
var errKilled = errors.New("the process was killed")

// keptMemory is where the manager's memory is. Without a root there is none.
type keptMemory struct {
	root   string
	number int // of the directory
}

// newMemoryPlan returns the plan of a seed, with memories.
//
// A resync may be asked for before a kind is listed again, so none is in these worlds.
func newMemoryPlan(seed uint64) *plan { return makePlan(seed, memories|restarts, resyncs) }

// remember has the manager keep a memory, if the plan has it.
func (w *world) remember(t *testing.T) {
	t.Helper()
	if w.has(memories) {
		w.memory = keptMemory{root: t.TempDir()}
		w.server.describes = true
	}
}

func (m *keptMemory) dir() string { return filepath.Join(m.root, fmt.Sprint(m.number)) }

func (w *world) withMemory() []manager.Option {
	if w.memory.root == "" {
		return nil
	}
	opts := manager.MemoryOptions{Every: w.dice.pause(2*time.Second, "every")}
	if !w.dice.percent(10, "without Secrets") {
		opts.Key = []byte(strings.Repeat("k", 16))
	}
	return []manager.Option{manager.WithMemory(w.memory.dir(), opts)}
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

func (w *world) nextLife(kill bool, meanwhile []*step) {
	if kill {
		w.kill()
	}
	w.stop()
	w.stay(meanwhile)
	w.spoil()
	w.note(func() string { return "       the manager starts again" })
	for _, o := range w.operators {
		o.forget()
	}
	w.start(context.Background())
}

// spoil has the next life find something else than the life before has left.
func (w *world) spoil() {
	m := &w.memory
	switch w.dice.roll(6, "spoil", w.server.version) {
	case 0:
		from := w.dice.roll(m.number+1, "from", w.server.version)
		w.note(func() string { return fmt.Sprintf("       the memory is that of life %d", from) })
		before := filepath.Join(m.root, fmt.Sprint(from))
		w.copyMemory(before)
	case 1:
		w.note(func() string { return "       the memory is damaged" })
		w.copyMemory(m.dir())
		w.damage()
	case 2:
		w.note(func() string { return "       the cluster is another one" })
		w.server.cluster++
	}
}

// copyMemory makes a directory for the next life, with what is in another one.
func (w *world) copyMemory(from string) {
	w.memory.number++
	if err := os.CopyFS(w.memory.dir(), os.DirFS(from)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.fail("copy the memory: %v", err)
	}
}

// damage changes a byte of a file, or cuts the file off there.
func (w *world) damage() {
	files, _ := filepath.Glob(filepath.Join(w.memory.dir(), "*.save"))
	if len(files) == 0 {
		return
	}
	path := files[w.dice.roll(len(files), "which", w.server.version)]
	data, err := os.ReadFile(path)
	if err == nil && len(data) > 0 {
		at := w.dice.roll(len(data), "where", w.server.version)
		if data[at] ^= 1; w.dice.roll(2, "cut", w.server.version) == 0 {
			data = data[:at]
		}
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		w.fail("damage the memory: %v", err)
	}
}

// kill has all that the manager does from now on have no effect.
func (w *world) kill() {
	synctest.Wait()
	w.running.dead.Store(true)
	w.copyMemory(w.memory.dir())
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
			m.running = false
			o.note(func() string { return fmt.Sprintf("%-8s is interrupted at %s", o.temper, r) })
		}
	}
}
