package sim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/cache"
)

// A deltaFIFO is what the script of this file drives.
type deltaFIFO struct {
	cache.Queue
	keys func() []string // pending, in order
	// locked says that the FIFO holds its lock while an item is processed, as
	// client-go's does. A call from elsewhere then waits until that has finished.
	// Ours lets it in, and it must come to the same.
	locked bool
}

// fifoConstructor makes one of them.
type fifoConstructor func(cache.DeltaFIFOOptions) deltaFIFO

// incumbentFIFO is client-go's. Its keys are read off a private field, because
// since it has no more than the methods of a Queue nothing else shows them.
func incumbentFIFO(o cache.DeltaFIFOOptions) deltaFIFO {
	f := cache.NewDeltaFIFOWithOptions(o)
	return deltaFIFO{Queue: f, locked: true, keys: func() []string {
		queue := reflect.ValueOf(f).Elem().FieldByName("queue")
		keys := make([]string, queue.Len())
		for i := range keys {
			keys[i] = queue.Index(i).String()
		}
		return keys
	}}
}

// thing is an object in a FIFO. It counts how often it was transformed.
type thing struct {
	key         string
	rev         int
	transformed int
}

func thingKey(obj any) (string, error) {
	t, ok := obj.(thing)
	if !ok {
		return "", fmt.Errorf("key of a %T", obj)
	}
	return t.key, nil
}

func transformThing(obj any) (any, error) {
	t := obj.(thing)
	t.transformed++
	return t, nil
}

// known is a consumer's store. Its keys are in order, so that what a FIFO does
// with them is.
type known struct{ cache.Store }

func (k known) ListKeys() []string {
	keys := k.Store.ListKeys()
	slices.Sort(keys)
	return keys
}

// fifoCall is one call of a FIFO's producer side.
type fifoCall struct {
	name string // the method
	list []thing
}

func (c fifoCall) String() string { return fmt.Sprint(c.name, c.list) }

func (c fifoCall) on(f cache.Queue) error {
	switch c.name {
	case "Add":
		return f.Add(c.list[0])
	case "Update":
		return f.Update(c.list[0])
	case "Delete":
		return f.Delete(c.list[0])
	case "DeleteUnknown":
		return f.Delete(cache.DeletedFinalStateUnknown{Key: c.list[0].key, Obj: c.list[0]})
	case "Resync":
		return f.Resync()
	case "Replace":
		list := make([]any, len(c.list))
		for i, t := range c.list {
			list[i] = t
		}
		return f.Replace(list, "1")
	}
	panic("BUG: no such call: " + c.name)
}

// fifoStep is a call, or a Pop during which calls come from elsewhere, before
// and after the consumer has brought its store up to date.
type fifoStep struct {
	call          fifoCall
	pop           bool
	before, after []fifoCall
	fails         bool // the consumer refuses what it is given
}

func (s fifoStep) String() string {
	switch {
	case s.fails:
		return "Pop, refused"
	case s.pop:
		return fmt.Sprintf("Pop, meanwhile %v, store, meanwhile %v", s.before, s.after)
	default:
		return s.call.String()
	}
}

// fifoScript is what a seed says.
//
// Three things are avoided, because there the two differ for a reason:
//
//   - Without a store (known is false) client-go forgets an object when it hands
//     it out, and ignores a Delete that comes while it is processed; ours knows it
//     until it has been processed, and reports its deletion.
//   - Of two tombstones in a row for one key, client-go keeps the later, ours the
//     one it made itself. Both say that nobody knows the final state; what they
//     guess is not compared where the script hands in tombstones (unknown).
//   - In which order a Resync takes the keys is free. See [sameKeys].
type fifoScript struct {
	known, replaced, transform, unknown bool
	steps                               []fifoStep
}

func newFIFOScript(seed uint64) fifoScript {
	rng := rand.New(rand.NewPCG(seed, 3))
	s := fifoScript{known: rng.IntN(5) > 0, replaced: rng.IntN(3) > 0, transform: rng.IntN(3) == 0, unknown: rng.IntN(4) == 0}
	rev := 0
	calls := func(most int) (list []fifoCall) {
		if !s.known {
			return nil
		}
		for range rng.IntN(most + 1) {
			list = append(list, s.randomCall(rng, &rev))
		}
		return list
	}
	if rng.IntN(2) == 0 { // as a Reflector begins
		s.steps = append(s.steps, fifoStep{call: replaceCall(rng, &rev)})
	}
	for range 10 + rng.IntN(40) {
		step := fifoStep{call: s.randomCall(rng, &rev)}
		switch dice := rng.IntN(20); {
		case dice == 0:
			step = fifoStep{pop: true, fails: true}
		case dice < 5:
			step = fifoStep{pop: true}
		case dice < 11:
			step = fifoStep{pop: true, before: calls(2), after: calls(2)}
		}
		s.steps = append(s.steps, step)
	}
	return s
}

func (s *fifoScript) randomCall(rng *rand.Rand, rev *int) fifoCall {
	*rev++
	one := []thing{{key: fmt.Sprint("k", rng.IntN(5)), rev: *rev}}
	switch dice := rng.IntN(16); {
	case dice < 4:
		return fifoCall{"Add", one}
	case dice < 7:
		return fifoCall{"Update", one}
	case dice < 10:
		return fifoCall{"Delete", one}
	case dice < 11 && s.unknown:
		return fifoCall{"DeleteUnknown", one}
	case dice < 13:
		return replaceCall(rng, rev)
	default:
		return fifoCall{"Resync", nil}
	}
}

func replaceCall(rng *rand.Rand, rev *int) fifoCall {
	var list []thing
	for _, k := range rng.Perm(5)[:rng.IntN(6)] {
		*rev++
		list = append(list, thing{key: fmt.Sprint("k", k), rev: *rev})
	}
	return fifoCall{"Replace", list}
}

// outcomeOfStep is what came of a step.
type outcomeOfStep struct {
	text    string
	pending []string
}

func (o outcomeOfStep) String() string { return fmt.Sprintf("%s; pending %v", o.text, o.pending) }

// fifoRun plays a script on one FIFO, and writes down what came of each step.
type fifoRun struct {
	fifo   deltaFIFO
	script *fifoScript
	store  known
	log    []outcomeOfStep
}

func playFIFO(s fifoScript, make fifoConstructor) []outcomeOfStep {
	r := &fifoRun{script: &s, store: known{cache.NewStore(thingKey)}}
	o := cache.DeltaFIFOOptions{KeyFunction: thingKey, EmitDeltaTypeReplaced: s.replaced}
	if s.known {
		o.KnownObjects = r.store
	}
	if s.transform {
		o.Transformer = transformThing
	}
	r.fifo = make(o)
	for _, step := range s.steps {
		var text string
		if step.pop {
			text = r.pop(step)
		} else {
			text = fmt.Sprint(step.call.on(r.fifo))
		}
		text = fmt.Sprintf("%s; synced %v", text, r.fifo.HasSynced())
		r.log = append(r.log, outcomeOfStep{text, r.fifo.keys()})
	}
	r.drain()
	return r.log
}

var errRefused = errors.New("refused")

func (r *fifoRun) pop(step fifoStep) string {
	if len(r.fifo.keys()) == 0 {
		return "nothing to pop"
	}
	var text string
	item, err := r.popOrClose(func(obj any, initial bool) error {
		text = fmt.Sprintf("initial %v: %v", initial, r.show(obj.(cache.Deltas)))
		if step.fails {
			return errRefused
		}
		if !r.fifo.locked {
			text += r.meanwhile(step.before)
		}
		text += r.early(initial)
		r.apply(obj.(cache.Deltas))
		text += r.early(initial)
		if !r.fifo.locked {
			text += r.meanwhile(step.after)
		}
		return nil
	})
	if r.fifo.locked && !step.fails {
		for _, call := range slices.Concat(step.before, step.after) {
			if err := call.on(r.fifo); err != nil {
				text += fmt.Sprintf("; %v: %v", call, err)
			}
		}
	}
	deltas, _ := item.(cache.Deltas)
	return fmt.Sprintf("%s, returned %v, %v", text, r.show(deltas), err)
}

// show leaves out what two tombstones in a row guess.
func (r *fifoRun) show(deltas cache.Deltas) string {
	var text []string
	for _, d := range deltas {
		if t, ok := d.Object.(cache.DeletedFinalStateUnknown); ok && r.script.unknown {
			d.Object = cache.DeletedFinalStateUnknown{Key: t.Key}
		}
		text = append(text, fmt.Sprint(d))
	}
	return strings.Join(text, " ")
}

// popOrClose closes the FIFO if nothing comes of a key that is pending, so that a
// FIFO that is wrong fails the test rather than hangs it.
func (r *fifoRun) popOrClose(process cache.PopProcessFunc) (any, error) {
	late := time.AfterFunc(time.Second, r.fifo.Close)
	defer late.Stop()
	return r.fifo.Pop(process)
}

// early says so if the FIFO counts as synced while something of its first list is
// still being processed. A FIFO that is locked meanwhile can't be asked.
func (r *fifoRun) early(initial bool) string {
	if !r.fifo.locked && initial && r.fifo.HasSynced() {
		return "; HAS SYNCED TOO EARLY"
	}
	return ""
}

// meanwhile makes calls while an item is processed, from another goroutine
// because that is where they come from.
func (r *fifoRun) meanwhile(calls []fifoCall) string {
	var text string
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, call := range calls {
			if err := call.on(r.fifo); err != nil {
				text += fmt.Sprintf("; %v: %v", call, err)
			}
		}
	}()
	select {
	case <-done:
		return text
	case <-time.After(10 * time.Second): // a deadlock, not a slow call
		return "; THE FIFO LETS NOBODY IN WHILE AN ITEM IS PROCESSED"
	}
}

// apply is what a consumer does with the deltas of a key.
func (r *fifoRun) apply(deltas cache.Deltas) {
	for _, d := range deltas {
		var err error
		switch tombstone, missed := d.Object.(cache.DeletedFinalStateUnknown); {
		case d.Type == cache.Deleted && missed:
			err = r.store.Delete(thing{key: tombstone.Key})
		case d.Type == cache.Deleted:
			err = r.store.Delete(d.Object)
		default:
			err = r.store.Add(d.Object)
		}
		if err != nil {
			panic(err)
		}
	}
}

// drain pops what is left, closes the FIFO, and finds it closed.
func (r *fifoRun) drain() {
	for range r.fifo.keys() {
		r.log = append(r.log, outcomeOfStep{text: "at the end " + r.pop(fifoStep{pop: true})})
	}
	r.fifo.Close()
	_, err := r.fifo.Pop(func(any, bool) error { return nil })
	r.log = append(r.log, outcomeOfStep{text: fmt.Sprint("closed: ", err, r.store.ListKeys())})
}

// TestDeltaFIFO plays random scripts on both FIFOs and compares what came of each
// step: what was popped, what is pending, whether it has synced.
func TestDeltaFIFO(t *testing.T) {
	eachSeed(t, func(t *testing.T, seed uint64) {
		s := newFIFOScript(seed)
		if text := differFIFO(s, subjectFIFO); text != "" {
			t.Error(text)
		}
	})
}

// differFIFO returns the script up to the first step at which the FIFO differs
// from client-go's, or nothing.
func differFIFO(s fifoScript, make fifoConstructor) string {
	got, want := playFIFO(s, make), playFIFO(s, incumbentFIFO)
	for i := range max(len(got), len(want)) {
		if i < len(got) && i < len(want) && got[i].text == want[i].text {
			if slices.Equal(got[i].pending, want[i].pending) {
				continue
			}
			if sameKeys(got[i].pending, want[i].pending) {
				return ""
			}
		}
		var b strings.Builder
		fmt.Fprintf(&b, "known=%v replaced=%v transform=%v\n", s.known, s.replaced, s.transform)
		for j, step := range s.steps[:min(i+1, len(s.steps))] {
			fmt.Fprintf(&b, "  %2d %v\n", j, step)
		}
		fmt.Fprintf(&b, "client-go's: %s\nours:        %s", at(want, i), at(got, i))
		return b.String()
	}
	return ""
}

// sameKeys reports whether the same keys are pending in another order. A Resync
// that comes while a new object is processed finds it last with ours, which knows
// it from what was handed out, and where the store has it with client-go's. Order
// among keys is free, but what comes after it can't be compared step by step, so
// the script ends there.
func sameKeys(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

func at(log []outcomeOfStep, i int) string {
	if i >= len(log) {
		return "(ended)"
	}
	return log[i].String()
}
