package endtoend

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// check compares the cache with the server: the version of each object, and all of some.
func (s *subject) check(mgr manager.Manager) error {
	ctx := context.Background()
	served, err := s.versions()
	if err != nil {
		return err
	}
	cached, err := s.Scenario.list(ctx, mgr.GetCache())
	if err != nil {
		return err
	}
	if err := compare(cached, served); err != nil {
		return err
	}
	direct, err := s.Scenario.list(ctx, mgr.GetAPIReader(), client.Limit(500))
	if err != nil {
		return err
	}
	for key, obj := range direct {
		if s.Scenario.Strip {
			obj.SetManagedFields(nil)
		}
		if err := same(cached[key], obj); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

// versions are the versions of all objects.
func (s *subject) versions() (map[string]string, error) {
	answer, err := http.Get(s.Server + "/versions") //nolint:noctx // the process ends if it hangs
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close() //nolint:errcheck // it was read
	var served map[string]string
	if err := json.NewDecoder(answer.Body).Decode(&served); err != nil {
		return nil, fmt.Errorf("read the versions: %w", err)
	}
	return served, nil
}

// compare says what a cache has missed.
func compare(cached map[string]client.Object, served map[string]string) error {
	for key, version := range served {
		is := "no version"
		if obj := cached[key]; obj != nil {
			is = obj.GetResourceVersion()
		}
		if is != version {
			return fmt.Errorf("%d objects are cached and %d served: %s is cached in %s and served in %s", len(cached), len(served), key, is, version)
		}
	}
	if len(cached) != len(served) {
		return fmt.Errorf("%d objects are cached and %d served", len(cached), len(served))
	}
	return nil
}

// same says whether a cached object is what client-go makes of the server's bytes. Lists of typed
// objects do not say their kind.
func same(cached, direct client.Object) error {
	for _, obj := range []client.Object{cached, direct} {
		obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	if equality.Semantic.DeepEqual(cached, direct) {
		return nil
	}
	is, _ := json.Marshal(cached)
	want, _ := json.Marshal(direct)
	return fmt.Errorf("the cache has\n%s\nand the server\n%s", is, want)
}

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
