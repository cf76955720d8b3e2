package predicate

import (
	"reflect"

	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/delta-runtime/delta-runtime/internal/api/objects"
	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

// maxKinds is how many kinds a predicate remembers, with which of its paths can exist in each.
const maxKinds = 100

// pathPredicate passes updates that touch one of its paths. It checks each path in every kind
// that it sees, also in creations. A path that one kind has is right, although other kinds do
// not touch it. A path that no kind has is wrong.
type pathPredicate[O client.Object] struct {
	texts []string
	paths []path.Path

	mu    lock.Mutex[lock.PathPredicate] // guards everything below; nobody calls anything under it
	kinds map[path.Kind][]error
	found []bool // for each path: a kind has it
	told  []bool // for each path: the log says that it is wrong
}

func newPathPredicate[O client.Object](texts []string, paths []path.Path) *pathPredicate[O] {
	p := &pathPredicate[O]{
		texts: texts, paths: paths, kinds: map[path.Kind][]error{},
		found: make([]bool, len(paths)), told: make([]bool, len(paths)),
	}
	if t := reflect.TypeFor[O](); t.Kind() == reflect.Pointer {
		if example, ok := reflect.New(t.Elem()).Interface().(O); ok {
			p.complain(p.look(example))
		}
	}
	return p
}

// Create passes.
func (p *pathPredicate[O]) Create(e event.TypedCreateEvent[O]) bool { return p.see(e.Object) }

// Delete passes.
func (p *pathPredicate[O]) Delete(e event.TypedDeleteEvent[O]) bool { return p.see(e.Object) }

// Generic passes.
func (p *pathPredicate[O]) Generic(e event.TypedGenericEvent[O]) bool { return p.see(e.Object) }

func (p *pathPredicate[O]) see(obj O) bool {
	if !objects.IsNil(obj) {
		p.look(obj)
	}
	return true
}

// Update passes updates that touch a path, and all updates if a path is wrong.
func (p *pathPredicate[O]) Update(e event.TypedUpdateEvent[O]) bool {
	if objects.IsNil(e.ObjectOld) || objects.IsNil(e.ObjectNew) {
		return true
	}
	wrong := p.look(e.ObjectNew)
	if p.complain(wrong) {
		return true
	}
	diff := diff.New(e.ObjectOld, e.ObjectNew, nil)
	for i := range p.paths {
		if wrong[i] == nil && diff.TouchesAny(p.paths[i:i+1]) {
			return true
		}
	}
	return false
}

// look returns what is wrong with each path in the kind of an object.
func (p *pathPredicate[O]) look(obj client.Object) []error {
	kind := path.Kind{Type: reflect.TypeOf(obj)}
	if kind.Untyped() {
		kind.GVK = obj.GetObjectKind().GroupVersionKind()
	}
	p.mu.Lock()
	wrong, known := p.kinds[kind]
	p.mu.Unlock()
	if known {
		return wrong
	}
	example, described := exampleOf(obj)
	wrong = make([]error, len(p.paths))
	for i, text := range p.texts {
		wrong[i] = delta.CheckPath(example, text)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range wrong {
		p.found[i] = p.found[i] || wrong[i] == nil && described
	}
	if len(p.kinds) < maxKinds {
		p.kinds[kind] = wrong
	}
	return wrong
}

// complain reports whether a path is wrong in this kind, and in every other one so far. It says
// so in the log once.
func (p *pathPredicate[O]) complain(wrong []error) (any bool) {
	p.mu.Lock()
	var now []int
	for i := range wrong {
		if wrong[i] == nil || p.found[i] {
			continue
		}
		any = true
		if !p.told[i] {
			p.told[i] = true
			now = append(now, i)
		}
	}
	p.mu.Unlock()
	for _, i := range now {
		log.Error(wrong[i], "A predicate has a path that no kind has which it was shown; it passes every update", "path", p.texts[i])
	}
	return any
}

// exampleOf returns an object of the same kind whose Go type says which fields there are. If
// there is none, it returns the object itself: one can check paths into its metadata.
func exampleOf(obj client.Object) (example client.Object, described bool) {
	if !objects.Untyped(obj) {
		return obj, true
	}
	made, err := scheme.Scheme.New(obj.GetObjectKind().GroupVersionKind())
	if err != nil {
		return obj, false
	}
	if example, ok := made.(client.Object); ok {
		return example, true
	}
	return obj, false
}
