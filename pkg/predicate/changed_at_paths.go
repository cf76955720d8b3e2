package predicate

import (
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/delta-runtime/delta-runtime/internal/objects"
	"github.com/delta-runtime/delta-runtime/internal/path"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

// maxKinds is of how many kinds a predicate remembers which of its paths can exist.
const maxKinds = 100

// pathPredicate passes updates that touch one of its paths. Each path is checked in every
// kind that the predicate is shown, by creations as well, because a path that one kind
// has is rightly not touched by another. A path that none of them has is wrong.
type pathPredicate[O client.Object] struct {
	texts []string
	paths []path.Path

	mu    sync.Mutex // guards what follows; nothing is called out to under it
	kinds map[shownKind][]error
	found []bool // of each path: a kind has it
	told  []bool // of each path: it was complained about
}

// shownKind is a kind as it is shown to a predicate. The GVK is that of objects whose Go
// type does not say what they have.
type shownKind struct {
	typ reflect.Type
	gvk schema.GroupVersionKind
}

func newPathPredicate[O client.Object](texts []string, paths []path.Path) *pathPredicate[O] {
	p := &pathPredicate[O]{
		texts: texts, paths: paths, kinds: map[shownKind][]error{},
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

// Update passes what touches a path, and everything if a path is wrong.
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
	kind := shownKind{typ: reflect.TypeOf(obj)}
	if objects.Untyped(obj) {
		kind.gvk = obj.GetObjectKind().GroupVersionKind()
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

// complain reports whether a path is wrong in this kind, and found in no other. It says
// so in the log, once.
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

// exampleOf returns an object of the same kind whose Go type says what the kind has. Where
// there is none it is the object itself, of which the metadata can be checked.
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
