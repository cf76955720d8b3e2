package differential

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// question is a question for a cache.
type question struct {
	text string
	ask  func(context.Context, crcache.Cache) answer
}

// asker draws questions.
type asker struct {
	rng          *rand.Rand
	kinds        []*kind
	touched      []subject          // the subjects of the last question
	there        func(subject) bool // has an informer
	disconnected func(*kind) bool   // the options of a Get are lost for this kind
}

func (a *asker) one(n int) bool { return a.rng.IntN(n) == 0 }

func pick[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }

// question draws any question, except those that make an informer with a context that has
// ended.
func (a *asker) question() question {
	switch n := a.rng.IntN(20); {
	case n < 8:
		return a.get(a.subject())
	case n < 15:
		return a.list(a.subject())
	case n < 17:
		return a.limited(a.subject())
	case n < 18:
		return a.informer(a.subject())
	default:
		return a.odd()
	}
}

// subject draws the subject of a question. Mostly it can be read.
func (a *asker) subject() subject {
	k := pick(a.rng, a.kinds...)
	if a.one(15) {
		k = ghost
	}
	if a.one(20) {
		k = networkPolicy
	}
	s := subject{k, form(a.rng.IntN(int(forms)))}
	a.touched = append(a.touched, s)
	return s
}

func (a *asker) get(s subject) question {
	at := key{
		Namespace: pick(a.rng, append(namespaces, "a", "b", "", "nowhere")...),
		Name:      pick(a.rng, append(names, marker, "a", "absent", "")...),
	}
	if !s.kind.namespaced && a.one(2) {
		at.Namespace = ""
	}
	var opts []client.GetOption
	text := fmt.Sprintf("Get %s %q", s, at)
	switch n := a.rng.IntN(8); {
	case a.disconnected(s.kind):
	case n == 0:
		opts, text = append(opts, client.UnsafeDisableDeepCopy), text+" without copy"
	case n == 1:
		opts, text = append(opts, &client.GetOptions{UnsafeDisableDeepCopy: new(false)}), text+" copied"
	}
	fresh := s.object
	if a.one(4) {
		text += " into a used object"
		fresh = func() client.Object { return used(s) }
	}
	return question{text, getting{at, fresh, opts}.ask}
}

// getting is a Get into a new object.
type getting struct {
	at    key
	fresh func() client.Object
	opts  []client.GetOption
}

// ask asks twice, to see whether both answers have the same memory.
func (g getting) ask(ctx context.Context, c crcache.Cache) answer {
	out, again := g.fresh(), g.fresh()
	err := c.Get(ctx, g.at, out, g.opts...)
	if err == nil {
		if err := c.Get(ctx, g.at, again, g.opts...); err != nil {
			return answer{wrong: fmt.Sprintf("asked again it says %v", err)}
		}
	}
	return answer{err: err, object: out, shared: memory(out) != 0 && memory(out) == memory(again)}
}

// used is an object that was read into before.
func used(s subject) client.Object {
	o := s.object()
	o.SetName("used")
	o.SetNamespace("before")
	o.SetLabels(map[string]string{"used": "before"})
	o.SetFinalizers([]string{"differential.delta-runtime.dev/used"})
	return o
}

func usedList(s subject) client.ObjectList {
	l := s.list()
	if err := meta.SetList(l, []runtime.Object{used(s)}); err != nil {
		panic(fmt.Sprintf("BUG: %v", err))
	}
	l.SetResourceVersion("7")
	l.SetContinue("used")
	l.SetRemainingItemCount(new(int64(3)))
	return l
}

func (a *asker) list(s subject) question {
	opts, text := a.listOptions()
	text = fmt.Sprintf("List %s%s", s, text)
	fresh := s.list
	if a.one(4) {
		text += " into a used list"
		fresh = func() client.ObjectList { return usedList(s) }
	}
	if a.one(15) {
		text += " with a continue token"
		opts = append(opts, client.Continue("token"))
	}
	return question{text, func(ctx context.Context, c crcache.Cache) answer { return list(ctx, c, fresh, opts) }}
}

func list(ctx context.Context, c crcache.Cache, fresh func() client.ObjectList, opts []client.ListOption) answer {
	out, again := fresh(), fresh()
	err := c.List(ctx, out, opts...)
	a := answer{err: err, list: out}
	if err != nil {
		return a
	}
	if err := c.List(ctx, again, opts...); err != nil {
		a.wrong = fmt.Sprintf("asked again it says %v", err)
		return a
	}
	_, first, err := itemsOf(out)
	if err != nil {
		a.wrong = err.Error()
		return a
	}
	_, second, err := itemsOf(again)
	if err != nil {
		a.wrong = err.Error()
		return a
	}
	for at, item := range first {
		if other := second[at]; other != nil && memory(item) != 0 && memory(item) == memory(other) {
			a.shared = true
		}
	}
	return a
}

func (a *asker) listOptions() (opts []client.ListOption, text string) {
	if a.one(2) {
		namespace := pick(a.rng, append(namespaces, "a", "b", "nowhere")...)
		opts, text = append(opts, client.InNamespace(namespace)), text+" in "+namespace
	}
	if a.one(2) {
		selector, said := labelSelector(a.rng)
		opts, text = append(opts, selector), text+" labels "+said
	}
	if a.one(3) {
		selector := fieldSelector(a.rng)
		opts, text = append(opts, client.MatchingFieldsSelector{Selector: selector}), text+" fields "+fmt.Sprintf("%q", selector)
	}
	switch a.rng.IntN(8) {
	case 0:
		opts, text = append(opts, client.UnsafeDisableDeepCopy), text+" without copy"
	case 1:
		opts, text = append(opts, &client.ListOptions{UnsafeDisableDeepCopy: new(false)}), text+" copied"
	}
	return opts, text
}

// informer asks for an informer and its state.
func (a *asker) informer(s subject) question {
	if s.form == asType && a.one(2) {
		return question{"GetInformerForKind " + s.kind.gvk.String(), func(ctx context.Context, c crcache.Cache) answer {
			i, err := c.GetInformerForKind(ctx, s.kind.gvk)
			return informerFacts(i, err)
		}}
	}
	return question{"GetInformer " + s.String(), func(ctx context.Context, c crcache.Cache) answer {
		i, err := c.GetInformer(ctx, s.object())
		return informerFacts(i, err)
	}}
}

func informerFacts(i crcache.Informer, err error) answer {
	if err != nil {
		return answer{err: err, fact: fmt.Sprintf("informer is nil: %v", i == nil)}
	}
	return answer{fact: fmt.Sprintf("synced %v, stopped %v", i.HasSynced(), i.IsStopped())}
}

// odd draws a question that makes no sense.
func (a *asker) odd() question {
	s := subject{pick(a.rng, configMap, node), asMap}
	a.touched = append(a.touched, s)
	objects := map[string]func() client.Object{
		"unstructured without kind": func() client.Object { return &unstructured.Unstructured{} },
		"metadata without kind":     func() client.Object { return &metav1.PartialObjectMetadata{} },
		"metadata without version": func() client.Object {
			return &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "ConfigMap"}}
		},
		"unregistered type": networkPolicy.typed,
		"unknown group": func() client.Object {
			u := &unstructured.Unstructured{}
			u.SetGroupVersionKind(schema.GroupVersionKind{Group: "unknown", Version: "v1", Kind: "Thing"})
			return u
		},
	}
	// A controller-runtime cache without an informer makes one for the first Go type that it
	// sees. If that is not the usual type, it waits for ever.
	if a.there(s) {
		objects["wrapped unstructured"] = func() client.Object {
			w := &wrapped{}
			w.SetGroupVersionKind(s.kind.gvk)
			return w
		}
	}
	lists := map[string]func() client.ObjectList{
		"unstructured list without kind": func() client.ObjectList { return &unstructured.UnstructuredList{} },
		"metadata list without kind":     func() client.ObjectList { return &metav1.PartialObjectMetadataList{} },
		"unregistered list":              networkPolicy.typedList,
		"list that is named as its items": func() client.ObjectList {
			u := &unstructured.UnstructuredList{}
			u.SetGroupVersionKind(s.kind.gvk)
			return u
		},
		"wrapped list": func() client.ObjectList {
			w := &wrappedList{}
			w.SetGroupVersionKind(s.list().GetObjectKind().GroupVersionKind())
			return w
		},
	}
	if a.one(2) {
		name := pick(a.rng, sortedNames(objects)...)
		at := key{Namespace: pick(a.rng, namespaces...), Name: marker}
		return question{fmt.Sprintf("Get %s %s %q", name, s.kind.gvk.Kind, at), getting{at: at, fresh: objects[name]}.ask}
	}
	if a.one(6) {
		return question{"GetInformerForKind of nothing", func(ctx context.Context, c crcache.Cache) answer {
			return informerFacts(c.GetInformerForKind(ctx, corev1.SchemeGroupVersion.WithKind("Nothing")))
		}}
	}
	name := pick(a.rng, sortedNames(lists)...)
	return question{strings.Join([]string{"List", name, s.kind.gvk.Kind}, " "), func(ctx context.Context, c crcache.Cache) answer {
		return list(ctx, c, lists[name], nil)
	}}
}

// limited draws a list with a limit. Each cache may choose other items, so their number is
// compared. Each cache's own are among those of the same list without a limit.
func (a *asker) limited(s subject) question {
	opts, text := a.listOptions()
	limit := pick[int64](a.rng, 1, 2, 5, 1000)
	return question{fmt.Sprintf("List %s%s limit %d", s, text, limit), func(ctx context.Context, c crcache.Cache) answer {
		return limited(ctx, c, s, append(opts[:len(opts):len(opts)], client.Limit(limit)))
	}}
}

func limited(ctx context.Context, c crcache.Cache, s subject, opts []client.ListOption) answer {
	whole, page := s.list(), s.list()
	if err := c.List(ctx, whole, opts[:len(opts)-1]...); err != nil {
		return answer{err: err}
	}
	if err := c.List(ctx, page, opts...); err != nil {
		return answer{err: err}
	}
	_, all, err := itemsOf(whole)
	if err != nil {
		return answer{wrong: err.Error()}
	}
	_, some, err := itemsOf(page)
	if err != nil {
		return answer{wrong: err.Error()}
	}
	a := answer{fact: fmt.Sprintf("%d of %d, version %q, token %q", len(some), len(all), page.GetResourceVersion(), page.GetContinue())}
	for _, at := range sortedKeys(some) {
		if !reflect.DeepEqual(some[at], all[at]) {
			a.wrong = fmt.Sprintf("%s differs from the one in the whole list: %s", at, difference(all[at], some[at]))
		}
	}
	return a
}
