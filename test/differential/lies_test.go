//go:build slow

package differential

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// liar is a cache with one fault. Each function may change a question or an answer. A nil
// function changes nothing.
type liar struct {
	crcache.Cache
	lie lie
}

type lie struct {
	options  func(*crcache.Options)
	getOpts  func(*client.GetOptions)
	got      func(out client.Object, err error) error
	listOpts func(*client.ListOptions)
	listed   func(out client.ObjectList, err error) error
	handler  func(cache.ResourceEventHandler) cache.ResourceEventHandler
	indexed  func(error) error
	removes  func(object client.Object) bool
}

func (l *liar) Get(ctx context.Context, at client.ObjectKey, out client.Object, opts ...client.GetOption) error {
	o := (&client.GetOptions{}).ApplyOptions(opts)
	if l.lie.getOpts != nil {
		l.lie.getOpts(o)
	}
	err := l.Cache.Get(ctx, at, out, o)
	if l.lie.got != nil {
		return l.lie.got(out, err)
	}
	return err
}

func (l *liar) List(ctx context.Context, out client.ObjectList, opts ...client.ListOption) error {
	o := (&client.ListOptions{}).ApplyOptions(opts)
	if l.lie.listOpts != nil {
		l.lie.listOpts(o)
	}
	err := l.Cache.List(ctx, out, o)
	if l.lie.listed != nil {
		return l.lie.listed(out, err)
	}
	return err
}

func (l *liar) IndexField(ctx context.Context, object client.Object, field string, extract client.IndexerFunc) error {
	err := l.Cache.IndexField(ctx, object, field, extract)
	if l.lie.indexed != nil {
		return l.lie.indexed(err)
	}
	return err
}

func (l *liar) RemoveInformer(ctx context.Context, object client.Object) error {
	if l.lie.removes != nil && !l.lie.removes(object) {
		return nil
	}
	return l.Cache.RemoveInformer(ctx, object)
}

func (l *liar) GetInformer(ctx context.Context, object client.Object, opts ...crcache.InformerGetOption) (crcache.Informer, error) {
	i, err := l.Cache.GetInformer(ctx, object, opts...)
	if err != nil || l.lie.handler == nil {
		return i, err
	}
	return lyingInformer{i, l.lie.handler}, nil
}

type lyingInformer struct {
	crcache.Informer
	lie func(cache.ResourceEventHandler) cache.ResourceEventHandler
}

func (l lyingInformer) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return l.Informer.AddEventHandler(l.lie(h))
}

func lying(l lie) constructor {
	return func(config *rest.Config, opts crcache.Options) (crcache.Cache, error) {
		if l.options != nil {
			l.options(&opts)
		}
		c, err := theirs(config, opts)
		if err != nil {
			return nil, err
		}
		return &liar{c, l}, nil
	}
}

// changeItems is a fault in the items of a list.
func changeItems(change func([]runtime.Object) []runtime.Object) lie {
	return lie{listed: func(out client.ObjectList, err error) error {
		if err != nil {
			return err
		}
		items, err := meta.ExtractList(out)
		if err != nil {
			return err
		}
		return meta.SetList(out, change(items))
	}}
}

var lies = map[string]lie{
	"an item is dropped": changeItems(func(items []runtime.Object) []runtime.Object { return items[:max(0, len(items)-1)] }),
	"an item is there twice": changeItems(func(items []runtime.Object) []runtime.Object {
		return append(items, items[:min(1, len(items))]...)
	}),
	"no items are nil": {listed: func(out client.ObjectList, err error) error {
		if items, _ := meta.GetItemsPtr(out); err == nil && meta.LenList(out) == 0 {
			reflect.ValueOf(items).Elem().SetZero()
		}
		return err
	}},
	"an object has no kind": {got: func(out client.Object, err error) error {
		if _, ok := out.(runtime.Unstructured); !ok {
			out.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
		}
		return err
	}},
	"an object has another version": {got: func(out client.Object, err error) error {
		if err == nil {
			out.SetResourceVersion(out.GetResourceVersion() + "0")
		}
		return err
	}},
	"an absent object is found": {got: func(_ client.Object, err error) error { return client.IgnoreNotFound(err) }},
	"an absent object gives another error": {got: func(_ client.Object, err error) error {
		if apierrors.IsNotFound(err) {
			return apierrors.NewResourceExpired(err.Error())
		}
		return err
	}},
	"an error has lost its type": {got: func(_ client.Object, err error) error {
		if err != nil {
			return errors.New(err.Error())
		}
		return nil
	}},
	"an error says something else": {listed: func(_ client.ObjectList, err error) error {
		if err != nil {
			return fmt.Errorf("unable: %w", err)
		}
		return nil
	}},
	"a list is not a copy":           {listOpts: func(o *client.ListOptions) { o.UnsafeDisableDeepCopy = new(true) }},
	"an object is not a copy":        {getOpts: func(o *client.GetOptions) { o.UnsafeDisableDeepCopy = new(true) }},
	"an object is always copied":     {getOpts: func(o *client.GetOptions) { o.UnsafeDisableDeepCopy = nil }},
	"label selectors are lost":       {listOpts: func(o *client.ListOptions) { o.LabelSelector = labels.Everything() }},
	"namespaces are lost":            {listOpts: func(o *client.ListOptions) { o.Namespace = "" }},
	"limits are lost":                {listOpts: func(o *client.ListOptions) { o.Limit = 0 }},
	"continue tokens are taken":      {listOpts: func(o *client.ListOptions) { o.Continue = "" }},
	"only the first field is used":   {listOpts: firstField},
	"a list has no token":            {listed: func(out client.ObjectList, err error) error { out.SetContinue(""); return err }},
	"an index conflict is forgotten": {indexed: func(error) error { return nil }},
	"nothing is removed":             {removes: func(client.Object) bool { return false }},
	"transforms are lost": {options: func(o *crcache.Options) {
		o.DefaultTransform = func(obj any) (any, error) { return obj, nil }
		for at, by := range o.ByObject {
			by.Transform = o.DefaultTransform
			o.ByObject[at] = by
		}
	}},
	"the default selector is lost": {options: func(o *crcache.Options) { o.DefaultLabelSelector = nil }},
	"namespaces are not limited":   {options: func(o *crcache.Options) { o.DefaultNamespaces = nil }},
	"missing informers are made":   {options: func(o *crcache.Options) { o.ReaderFailOnMissingInformer = false }},
	"bookmarks are always wanted": {options: func(o *crcache.Options) {
		o.DefaultEnableWatchBookmarks = new(true)
		for at, by := range o.ByObject {
			by.EnableWatchBookmarks = new(true)
			o.ByObject[at] = by
		}
	}},
	"a handler misses updates":             {handler: func(h cache.ResourceEventHandler) cache.ResourceEventHandler { return missing{h} }},
	"a handler misses the initial objects": {handler: func(h cache.ResourceEventHandler) cache.ResourceEventHandler { return late{h} }},
	"a handler is told of lost events":     {handler: func(h cache.ResourceEventHandler) cache.ResourceEventHandler { return doubtful{h} }},
}

func firstField(o *client.ListOptions) {
	if o.FieldSelector == nil {
		return
	}
	if all := o.FieldSelector.Requirements(); len(all) > 1 {
		o.FieldSelector = fields.OneTermEqualSelector(all[0].Field, all[0].Value)
	}
}

// missing loses updates, except those of markers: without these it would only look as if
// nothing came.
type missing struct{ cache.ResourceEventHandler }

func (m missing) OnUpdate(old, obj any) {
	if o, ok := obj.(client.Object); !ok || o.GetName() == marker {
		m.ResourceEventHandler.OnUpdate(old, obj)
	}
}

type late struct{ cache.ResourceEventHandler }

func (l late) OnAdd(obj any, _ bool) { l.ResourceEventHandler.OnAdd(obj, false) }

type doubtful struct{ cache.ResourceEventHandler }

func (d doubtful) OnDelete(obj any) {
	d.ResourceEventHandler.OnDelete(cache.DeletedFinalStateUnknown{Obj: obj})
}

// TestGamesBite plays with caches that have a fault. A test that can't fail proves nothing.
func TestGamesBite(t *testing.T) {
	s := newServer(t)
	for _, name := range sortedNames(lies) {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(30) {
				g, err := play(t.Context(), seed, s, rules{theirs: theirs, ours: lying(lies[name]), most: 1})
				switch {
				case err != nil:
					t.Fatalf("seed %d: %v", seed, err)
				case len(g.complaints) > 0:
					t.Logf("shown by seed %d: %s", seed, g.complaints[0])
					return
				}
			}
			t.Error("30 games did not show it")
		})
	}
}
