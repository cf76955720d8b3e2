package cache

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// reader answers reads of one kind in one representation: typed, unstructured or
// metadata alone. Whatever returns several objects shows one commit of the store.
//
// It has no state of its own, and any number of goroutines may use it.
type reader struct {
	gvk   schema.GroupVersionKind
	scope meta.RESTScopeName
	store *store.Store[any]
	// copies reports whether reads in a namespace are private copies.
	copies func(namespace string) bool
	// syncedIn says why a namespace can't be read, and syncedEverywhere why not all can; nil if
	// they can. An empty namespace is that of objects that have none.
	syncedIn         func(namespace string) error
	syncedEverywhere func() error
}

// namespace is the namespace that is meant: a kind without namespaces is read
// alike whichever is named.
func (r *reader) namespace(named string) string {
	if r.scope == meta.RESTScopeNameRoot {
		return ""
	}
	return named
}

// refuseKey says why one object can't be looked up. A kind that is kept in some
// namespaces alone knows nothing of an object without one, so it must not say that
// there is none.
func (r *reader) refuseKey(key client.ObjectKey) error {
	err := r.syncedIn(r.namespace(key.Namespace))
	switch {
	case err == nil:
		return nil
	case errors.Is(err, informer.ErrNotCovered):
		return errNotCovered("get", key.String(), err)
	}
	return fmt.Errorf("get %s %s: %w", r.gvk.Kind, delta.Key(key), err)
}

// refuseList says why a namespace, or all if it is empty, can't be listed.
func (r *reader) refuseList(namespace string) error {
	var err error
	if namespace = r.namespace(namespace); namespace == "" {
		err = r.syncedEverywhere()
	} else {
		err = r.syncedIn(namespace)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, informer.ErrNotCovered):
		return errNotCovered("list", namespace, err)
	}
	return fmt.Errorf("list %s: %w", r.gvk.Kind, err)
}

// errNotCovered says more than controller-runtime's error, and begins as that one does, because
// programs know it by its words.
func errNotCovered(read, what string, why error) error {
	return fmt.Errorf("unable to %s: %s because of unknown namespace for the cache: %w", read, what, why)
}

// private reports whether an object is to be copied. A call can do without copies,
// but can't ask for them where the cache is told to do without.
func (r *reader) private(namespace string, unsafeDisable *bool) bool {
	if unsafeDisable != nil && *unsafeDisable {
		return false
	}
	return r.copies(namespace)
}

// Get fills out with the object of a key.
func (r *reader) Get(_ context.Context, key client.ObjectKey, out client.Object, opts ...client.GetOption) error {
	key.Namespace = r.namespace(key.Namespace)
	if err := r.refuseKey(key); err != nil {
		return err
	}
	obj, found := r.store.Get(delta.Key(key))
	if !found {
		// It may be the namespace that has gone meanwhile, and not the object.
		if err := r.refuseKey(key); err != nil {
			return err
		}
		// controller-runtime, too, puts the kind where the resource belongs.
		return apierrors.NewNotFound(schema.GroupResource{Group: r.gvk.Group, Resource: r.gvk.Kind}, key.Name)
	}
	object, ok := obj.(runtime.Object)
	if !ok {
		return errNoObject(obj)
	}
	var unsafeDisable *bool
	if len(opts) > 0 {
		unsafeDisable = new(client.GetOptions).ApplyOptions(opts).UnsafeDisableDeepCopy
	}
	if !r.private(key.Namespace, unsafeDisable) {
		return share(object, out)
	}
	if err := deepCopy(object, out); err != nil {
		return err
	}
	out.GetObjectKind().SetGroupVersionKind(r.gvk)
	return nil
}

func errNoObject(obj any) error {
	return fmt.Errorf("cache contained %T, which is not an Object", obj)
}

// noPages is the continue token of every list, as controller-runtime's cache has it. A cache
// keeps no pages, and who goes on with the token is told so.
const noPages = "continue-not-supported"

// List fills out with the objects that match, in no order; with a limit, with so many of them.
func (r *reader) List(_ context.Context, out client.ObjectList, opts ...client.ListOption) error {
	var o client.ListOptions
	o.ApplyOptions(opts)
	if o.Continue != "" {
		return errors.New("continue list option is not supported by the cache") // controller-runtime's words
	}
	if err := r.refuseList(o.Namespace); err != nil {
		return err
	}
	objs, err := r.find(&o)
	if err != nil {
		return err
	}
	if o.Limit > 0 && o.Limit < int64(len(objs)) {
		objs = objs[:o.Limit]
	}
	// What lacks may be the namespace, if it has gone meanwhile. A list of all is right
	// before and after.
	if o.Namespace != "" {
		if err := r.refuseList(o.Namespace); err != nil {
			return err
		}
	}
	l := lister{gvk: r.gvk}
	if o.UnsafeDisableDeepCopy == nil || !*o.UnsafeDisableDeepCopy {
		l.private = r.copies
	}
	if err := l.fill(out, objs); err != nil {
		return err
	}
	out.SetContinue(noPages)
	return nil
}

// find returns everything that matches, in no order. The slice is the caller's.
func (r *reader) find(o *client.ListOptions) ([]any, error) {
	under, err := filedUnder(o.Namespace, o.FieldSelector)
	if err != nil {
		return nil, err
	}
	if under == nil {
		return r.store.Select(o.Namespace, o.LabelSelector), nil
	}
	return r.store.SelectFiled(o.LabelSelector, under...) // whose errors have client-go's words
}
