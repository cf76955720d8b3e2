package sim

import (
	"fmt"
	"math/rand/v2"

	"k8s.io/client-go/tools/cache"
)

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

// fifoCall is one call by a producer.
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

// fifoStep is a call, or a Pop with calls from elsewhere. Some of these come before the
// consumer has updated its store, and some after that.
type fifoStep struct {
	call          fifoCall
	pop           bool
	before, after []fifoCall
	fails         bool // the consumer refuses the item
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

// fifoScript is the script of a seed.
//
// It avoids two things in which the two FIFOs differ for a reason:
//
//   - Without a store (known is false) client-go forgets an object when it hands it out, and
//     ignores a Delete while the object is processed. Ours knows the object until it has been
//     processed, and reports the deletion.
//   - A Resync may take the keys in any order. See [sameKeys].
type fifoScript struct {
	known, replaced, transform bool
	steps                      []fifoStep
}

func newFIFOScript(seed uint64) fifoScript {
	rng := rand.New(rand.NewPCG(seed, 3))
	s := fifoScript{known: rng.IntN(5) > 0, replaced: rng.IntN(3) > 0, transform: rng.IntN(3) == 0}
	rev := 0
	calls := func(most int) (list []fifoCall) {
		if !s.known {
			return nil
		}
		for range rng.IntN(most + 1) {
			list = append(list, randomCall(rng, &rev))
		}
		return list
	}
	if rng.IntN(2) == 0 { // as a Reflector begins
		s.steps = append(s.steps, fifoStep{call: replaceCall(rng, &rev)})
	}
	for range 10 + rng.IntN(40) {
		step := fifoStep{call: randomCall(rng, &rev)}
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

func randomCall(rng *rand.Rand, rev *int) fifoCall {
	*rev++
	one := []thing{{key: fmt.Sprint("k", rng.IntN(5)), rev: *rev}}
	switch dice := rng.IntN(16); {
	case dice < 4:
		return fifoCall{"Add", one}
	case dice < 7:
		return fifoCall{"Update", one}
	case dice < 10:
		return fifoCall{"Delete", one}
	case dice < 11:
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
