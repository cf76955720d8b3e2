package endtoend

import (
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// A tally counts what an informer delivers and what is left to reconcile. It is the same work
// for both sides.
type tally struct {
	mu        sync.Mutex                    // guards everything below
	waiting   map[types.NamespacedName]bool // objects that were delivered: whether since they were last reconciled
	open      int                           // how many of them are waiting
	delivered int
	version   string // of what was delivered last
	enough    func() bool
	done      chan struct{} // closed when it is enough
}

func newTally() *tally {
	return &tally{waiting: map[types.NamespacedName]bool{}, enough: func() bool { return false }}
}

// predicate lets everything pass.
func (t *tally) predicate() predicate.Predicate {
	return predicate.NewPredicateFuncs(func(obj client.Object) bool {
		t.deliver(client.ObjectKeyFromObject(obj), obj.GetResourceVersion())
		return true
	})
}

func (t *tally) deliver(key types.NamespacedName, version string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.delivered++
	t.version = version
	if !t.waiting[key] {
		t.waiting[key] = true
		t.open++
	}
}

func (t *tally) reconciled(key types.NamespacedName) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting[key] {
		t.waiting[key] = false
		t.open--
	}
	t.lookLocked()
}

func (t *tally) lookLocked() {
	if t.done != nil && t.open == 0 && t.enough() {
		close(t.done)
		t.done = nil
	}
}

// wait returns what is closed when enough was delivered and everything is reconciled. It
// forgets how much was delivered before. The lock is held while enough looks.
func (t *tally) wait(enough func() bool) <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.delivered, t.enough, t.done = 0, enough, make(chan struct{})
	return t.done
}

// String says how far it is.
func (t *tally) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return fmt.Sprintf("%d delivered of %d objects, %d not reconciled, the last version is %s", t.delivered, len(t.waiting), t.open, t.version)
}
