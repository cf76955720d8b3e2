package sim

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
)

func transformThing(obj any) (any, error) {
	t := obj.(thing)
	t.transformed++
	return t, nil
}

// known is a consumer's store. Its keys are in order, so that the FIFO handles them in order.
type known struct{ cache.Store }

func (k known) ListKeys() []string {
	keys := k.Store.ListKeys()
	slices.Sort(keys)
	return keys
}

// outcomeOfStep is the result of a step.
type outcomeOfStep struct {
	text    string
	pending []string
}

func (o outcomeOfStep) String() string { return fmt.Sprintf("%s; pending %v", o.text, o.pending) }

// fifoRun plays a script on one FIFO, and records the result of each step.
type fifoRun struct {
	fifo  deltaFIFO
	store known
	log   []outcomeOfStep
}

func playFIFO(s fifoScript, make fifoConstructor) []outcomeOfStep {
	r := &fifoRun{store: known{cache.NewStore(thingKey)}}
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
		text = fmt.Sprintf("initial %v: %v", initial, obj)
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
	return fmt.Sprintf("%s, returned %v, %v", text, item, err)
}

// popOrClose pops an item. If none comes although a key is pending, it closes the FIFO, so
// that a wrong FIFO makes the test fail and not hang.
func (r *fifoRun) popOrClose(process cache.PopProcessFunc) (any, error) {
	late := time.AfterFunc(await.Patience, r.fifo.Close)
	defer late.Stop()
	return r.fifo.Pop(process)
}

// early returns a complaint if the FIFO has synced while an item of its first list is still
// being processed. A FIFO that is locked meanwhile can't be asked.
func (r *fifoRun) early(initial bool) string {
	if !r.fifo.locked && initial && r.fifo.HasSynced() {
		return "; HAS SYNCED TOO EARLY"
	}
	return ""
}

// meanwhile makes calls while an item is processed. They come from another goroutine, as in
// real use.
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
	case <-time.After(await.Patience): // a deadlock, not a slow call
		return "; THE FIFO LETS NOBODY IN WHILE AN ITEM IS PROCESSED"
	}
}

// apply applies the deltas of a key to the store, as a consumer does.
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

// drain pops all items that are left, closes the FIFO, and checks that it is closed.
func (r *fifoRun) drain() {
	for range r.fifo.keys() {
		r.log = append(r.log, outcomeOfStep{text: "at the end " + r.pop(fifoStep{pop: true})})
	}
	r.fifo.Close()
	_, err := r.fifo.Pop(func(any, bool) error { return nil })
	r.log = append(r.log, outcomeOfStep{text: fmt.Sprint("closed: ", err, r.store.ListKeys())})
}
