package cache

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/store"
)

// pagesNotSupported is the continue token of a list without a limit, which is all
// there is. controller-runtime's cache has it in every list.
const pagesNotSupported = "continue-not-supported"

// List fills out with the objects that match. With a limit they come in the order
// of their keys, and the pages after the first show what the first one saw.
func (r *reader) List(_ context.Context, out client.ObjectList, opts ...client.ListOption) error {
	var o client.ListOptions
	o.ApplyOptions(opts)
	if err := r.refuseList(o.Namespace); err != nil {
		return err
	}
	shown, err := r.page(&o)
	if err != nil {
		return err
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
		l.private = r.copiesIn()
	}
	if err := l.fill(out, shown.objs); err != nil {
		return err
	}
	out.SetContinue(shown.token)
	out.SetRemainingItemCount(shown.remaining)
	return nil
}

// copiesIn returns the rule for private copies.
func (r *reader) copiesIn() func(namespace string) bool {
	if r.rules.deepCopy == nil {
		return func(string) bool { return true }
	}
	return r.rules.deepCopy
}

// page returns what one call of List shows.
func (r *reader) page(o *client.ListOptions) (page, error) {
	q, err := r.query(o)
	if err != nil {
		return page{}, err
	}
	if o.Continue != "" {
		return r.pages.next(q.id(), o.Continue, o.Limit)
	}
	objs, err := q.find()
	if err != nil {
		return page{}, err
	}
	if o.Limit <= 0 {
		return page{objs: objs, token: pagesNotSupported}, nil
	}
	return r.pages.first(q, objs, o.Limit), nil
}

// query is what is asked of a reader.
type query struct {
	of        *reader
	namespace string
	labels    labels.Selector // may be nil
	under     []store.Filed   // what the field selector requires
}

// queryID tells queries apart: a list is continued with the options it began with.
type queryID struct {
	of        *reader
	namespace string
	labels    string
	fields    string
}

// gone reports whether a query differs from another one only in the informer, and that
// informer has been removed since.
func (id queryID) gone(other queryID) bool {
	select {
	case <-id.of.removed:
	default:
		return false
	}
	sameKind := id.of.gvk == other.of.gvk && reflect.TypeOf(id.of.holds) == reflect.TypeOf(other.of.holds)
	id.of = other.of
	return sameKind && id == other
}

func (r *reader) query(o *client.ListOptions) (*query, error) {
	under, err := filedUnder(o.Namespace, o.FieldSelector)
	if err != nil {
		return nil, err
	}
	return &query{of: r, namespace: o.Namespace, labels: o.LabelSelector, under: under}, nil
}

// id spells out the selectors. Field selectors that were made from a map have no
// order of their own.
func (q *query) id() queryID {
	id := queryID{of: q.of, namespace: q.namespace}
	if q.labels != nil {
		id.labels = q.labels.String()
		if _, selectable := q.labels.Requirements(); !selectable {
			id.labels = "nothing, which is spelt like everything"
		}
	}
	var required []string
	for _, f := range q.under {
		required = append(required, fmt.Sprintf("%q=%q", f.Index, f.Value))
	}
	slices.Sort(required)
	id.fields = strings.Join(required, ",")
	return id
}

// find returns everything that matches, in no order.
func (q *query) find() ([]any, error) {
	if q.under == nil {
		return q.of.store.Select(q.namespace, q.labels), nil
	}
	objs, err := q.of.store.SelectFiled(q.labels, q.under...)
	if err != nil {
		return nil, fmt.Errorf("list %s by field: %w", q.of.gvk.Kind, err)
	}
	return objs, nil
}
