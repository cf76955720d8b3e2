package cache

import (
	"fmt"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	crtools "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/engine/peer"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
)

// form is how objects of a kind are represented.
type form uint8

const (
	typedForm form = iota + 1
	unstructuredForm
	metadataForm
)

// formOf returns the form in which somebody asks for a kind.
func formOf(obj runtime.Object) form {
	switch obj.(type) {
	case runtime.Unstructured:
		return unstructuredForm
	case *metav1.PartialObjectMetadata, *metav1.PartialObjectMetadataList:
		return metadataForm
	default:
		return typedForm
	}
}

// kindID names a kind of the cache. The same GVK in another form is another kind.
type kindID struct {
	gvk  schema.GroupVersionKind
	form form
}

// String is the GVK as people write it.
func (id kindID) String() string {
	version, kind := id.gvk.ToAPIVersionAndKind()
	name := version + " " + kind
	if form := id.form.word(); form != "" {
		name += " (" + form + ")"
	}
	return name
}

// typeName is the Go type of the kind's objects. People look for an error by it.
func (id kindID) typeName(scheme *runtime.Scheme) string {
	example, err := id.example(scheme)
	if err != nil {
		return id.String() // nobody has made an object of it either
	}
	return fmt.Sprintf("%T", example)
}

// example returns an empty object of the kind.
func (id kindID) example(scheme *runtime.Scheme) (client.Object, error) {
	switch id.form {
	case unstructuredForm:
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(id.gvk)
		return u, nil
	case metadataForm:
		m := &metav1.PartialObjectMetadata{}
		m.SetGroupVersionKind(id.gvk)
		return m, nil
	case typedForm:
	}
	made, err := scheme.New(id.gvk)
	if err != nil {
		return nil, err
	}
	obj, ok := made.(client.Object)
	if !ok {
		return nil, fmt.Errorf("%T has no metadata", made)
	}
	return obj, nil
}

// hasList returns the scheme's own error if the kind has a Go type and its list has none.
// A wrapped one would not be found by runtime.IsNotRegisteredError.
func (id kindID) hasList(scheme *runtime.Scheme) error {
	if id.form != typedForm {
		return nil
	}
	_, err := scheme.New(id.gvk.GroupVersion().WithKind(id.gvk.Kind + "List"))
	return err
}

// kind is an informer and what reads its store.
type kind struct {
	id      kindID
	claimed time.Time
	example client.Object
	missing Missing
	binding *binding
	// byName is how the kind is kept in each namespace, "" being all that have no
	// entry. Its map is never changed, but replaced under Cache.scoping.
	byName atomic.Pointer[map[string]settings]

	core     *engine.Informer[any]
	shown    *peer.SharedInformer // core, as handlers know it
	hooks    peer.Hooks           // what was set on shown
	followed atomic.Bool          // the policy of a namespace was changed
	madeAs   meta.RESTScopeName   // with namespaces or without; see found. Guarded by resyncing once the kind is made
	reader   atomic.Pointer[reader]
	notes    atomic.Pointer[journal.Deltas] // nil unless a journal notes the kind's deltas
	weight   atomic.Pointer[weight]         // nil until somebody asks; see weigh
	kin      *relatives                     // nil if nothing is shared

	unsave  atomic.Pointer[func()] // has the kind no longer saved; nil if it is not
	arrived atomic.Uint64          // pages and objects that the server has sent

	// planned is set before the plan is read: a change of the plan need not reach a kind
	// that does not have it set afterwards.
	planned atomic.Bool

	// ready is closed when the fields above are set, or err is. Between planned and ready
	// nothing is waited for.
	ready chan struct{}
	err   error

	resyncing lock.Mutex[lock.KindResync] // held while policies are put into effect
	resyncs   map[string]resyncOrigin     // by namespace, what those in effect came of

	removed chan struct{}   // closed when the kind is not in the cache any more; by Cache.remove
	waiting bool            // made, and for Start to run; guarded by Cache.mu
	running *lifecycle.Task // runs the informer; nil before; guarded by Cache.mu
}

// make completes the kind. It asks the API what the kind is called there.
func (k *kind) make(c *Cache) error {
	k.binding = &binding{
		api: c.api, id: k.id, late: func(b *bound) { k.found(c, b.scope) }, listless: make(chan struct{}),
	}
	var err error
	if k.example, err = k.id.example(c.scheme); err != nil {
		return fmt.Errorf("make an object of %s: %w", k.id, err)
	}
	scope := meta.RESTScopeNameNamespace // until the server says otherwise
	found, err := k.binding.bind()
	k.planned.Store(true)
	plan := c.plan.Load()
	general := plan.general(k.id.gvk)
	k.missing = general.Missing
	switch {
	case err == nil:
		scope = found.scope
	case k.missing != WaitForIt || !meta.IsNoMatchError(err):
		return err
	default:
		k.binding.awaited.Store(true)
	}
	if err := k.id.hasList(c.scheme); err != nil {
		return err
	}
	byName := plan.of(k.id.gvk, scope)
	k.madeAs = scope
	k.byName.Store(&byName)
	if in := c.journal.Load(); in != nil {
		k.record(in)
	}
	if err = k.inform(c, general); err != nil {
		return fmt.Errorf("make an informer for %s: %w", k.id, err)
	}
	k.reader.Store(k.newReader(scope))
	return nil
}

// in returns the settings for a namespace.
func (k *kind) in(namespace string) settings {
	byName := *k.byName.Load()
	if s, ok := byName[namespace]; ok {
		return s
	}
	return byName[metav1.NamespaceAll]
}

// transformIn returns what the objects of a namespace pass through: what somebody set on the informer, or else what the
// options say. Nil if that is nothing.
func (k *kind) transformIn(namespace string) crtools.TransformFunc {
	return k.hooks.Transform.Or(k.in(namespace).Transform)
}

// newReader returns what answers reads of the kind.
func (k *kind) newReader(scope meta.RESTScopeName) *reader {
	return &reader{
		gvk: k.id.gvk, scope: scope, store: k.core.Store(),
		copies: k.copies, syncedIn: k.core.SyncedIn, syncedEverywhere: k.core.SyncedEverywhere,
	}
}

// copies reports whether reads in a namespace are private copies. A read may have
// found what is of a namespace that was removed a moment later.
func (k *kind) copies(namespace string) bool {
	share := k.in(namespace).UnsafeDisableDeepCopy
	return share == nil || !*share
}
