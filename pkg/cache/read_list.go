package cache

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

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
