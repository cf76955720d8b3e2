package differential

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The marker satisfies each of these selectors, except those that name a namespace: it may be
// in another one.
var (
	labelSelectors      = []string{"app=x", "app in (x,y)", "app!=z", "tier", "!absent", "tier notin (5)", ""}
	fieldSelectors      = []string{"metadata.name=" + marker, "metadata.name!=o2", ""}
	namespacedSelectors = append(fieldSelectors, "metadata.namespace=a", "metadata.namespace!=c")
)

// draft draws cache options, and describes them in words.
type draft struct {
	rng  *rand.Rand
	said []string
}

// drawOptions returns the options of a seed. Each cache gets its own copy, drawn with the
// same seed.
func drawOptions(seed uint64, via *http.Client, among []*kind) (opts crcache.Options, said string) {
	d := &draft{rng: rand.New(rand.NewPCG(seed, 1))}
	opts = crcache.Options{
		HTTPClient:                  via,
		Scheme:                      newScheme(),
		ReaderFailOnMissingInformer: d.one(4),
	}
	d.say("ReaderFailOnMissingInformer", opts.ReaderFailOnMissingInformer)
	all := d.config("Default", fieldSelectors[1:])
	opts.DefaultLabelSelector, opts.DefaultFieldSelector = all.LabelSelector, all.FieldSelector
	opts.DefaultTransform, opts.DefaultUnsafeDisableDeepCopy = all.Transform, all.UnsafeDisableDeepCopy
	opts.DefaultEnableWatchBookmarks, opts.SyncPeriod = all.EnableWatchBookmarks, all.SyncPeriod
	if d.one(2) {
		opts.DefaultNamespaces = d.namespaces("DefaultNamespaces")
	}
	for _, k := range among {
		if d.one(2) {
			continue
		}
		if opts.ByObject == nil {
			opts.ByObject = map[client.Object]crcache.ByObject{}
		}
		opts.ByObject[d.example(k)] = d.byObject(k)
	}
	return opts, strings.Join(d.said, "\n")
}

func (d *draft) say(what string, value any) {
	d.said = append(d.said, fmt.Sprintf("%s: %v", what, value))
}

// one is true one time out of n.
func (d *draft) one(n int) bool { return d.rng.IntN(n) == 0 }

func (d *draft) example(k *kind) client.Object {
	f := form(d.rng.IntN(int(forms)))
	if !k.registered && f == asType {
		f = asMap
	}
	return subject{k, f}.object()
}

func (d *draft) byObject(k *kind) crcache.ByObject {
	name := "ByObject[" + k.gvk.Kind + "]"
	selectors := fieldSelectors
	if k.namespaced {
		selectors = namespacedSelectors
	}
	c := d.config(name, selectors)
	by := crcache.ByObject{
		Label: c.LabelSelector, Field: c.FieldSelector, Transform: c.Transform,
		UnsafeDisableDeepCopy: c.UnsafeDisableDeepCopy,
		EnableWatchBookmarks:  c.EnableWatchBookmarks, SyncPeriod: c.SyncPeriod,
	}
	if k.namespaced && d.one(2) {
		by.Namespaces = d.namespaces(name + ".Namespaces")
	}
	return by
}

// namespaces draws the namespaces that have settings. The map may be empty.
func (d *draft) namespaces(name string) map[string]crcache.Config {
	drawn := map[string]crcache.Config{}
	for _, namespace := range []string{"a", "b", "c", crcache.AllNamespaces} {
		if d.one(2) {
			drawn[namespace] = d.config(fmt.Sprintf("%s[%q]", name, namespace), namespacedSelectors)
		}
	}
	d.say(name, fmt.Sprint(len(drawn), " namespaces"))
	return drawn
}

func (d *draft) config(level string, fieldSelectors []string) (c crcache.Config) {
	if d.one(3) {
		text := labelSelectors[d.rng.IntN(len(labelSelectors))]
		selector, err := labels.Parse(text)
		if err != nil {
			panic(fmt.Sprintf("BUG: %v", err))
		}
		c.LabelSelector = selector
		d.say(level+" labels", fmt.Sprintf("%q", text))
	}
	if d.one(4) {
		text := fieldSelectors[d.rng.IntN(len(fieldSelectors))]
		c.FieldSelector = fields.ParseSelectorOrDie(text)
		d.say(level+" fields", fmt.Sprintf("%q", text))
	}
	if d.one(4) {
		name := []string{"strip", "mark", "keep"}[d.rng.IntN(3)]
		c.Transform = transform(name, level)
		d.say(level+" transform", name)
	}
	if d.one(4) {
		c.UnsafeDisableDeepCopy = new(d.one(2))
		d.say(level+" UnsafeDisableDeepCopy", *c.UnsafeDisableDeepCopy)
	}
	if d.one(4) {
		c.EnableWatchBookmarks = new(d.one(2))
		d.say(level+" EnableWatchBookmarks", *c.EnableWatchBookmarks)
	}
	if d.one(4) {
		c.SyncPeriod = new([]time.Duration{time.Second, time.Hour}[d.rng.IntN(2)])
		d.say(level+" SyncPeriod", *c.SyncPeriod)
	}
	return c
}

// transform returns a function that writes into an object which option it is from. The object
// also shows how often the function was called with it.
func transform(name, level string) cache.TransformFunc {
	switch name {
	case "strip":
		return crcache.TransformStripManagedFields()
	case "mark":
		return func(obj any) (any, error) {
			about, err := meta.Accessor(obj)
			if err != nil {
				return obj, nil //nolint:nilerr // a tombstone has no labels to write into
			}
			annotations := about.GetAnnotations()
			if annotations == nil {
				annotations = map[string]string{}
			}
			annotations["marked"] = "by " + level
			about.SetAnnotations(annotations)
			return obj, nil
		}
	}
	return func(obj any) (any, error) { return obj, nil }
}

// TestOptionsThatMakeNoSense compares which options the constructors refuse.
func TestOptionsThatMakeNoSense(t *testing.T) {
	s := newBareServer(t)
	everywhere := map[string]crcache.Config{}
	by := func(settings crcache.ByObject, examples ...client.Object) crcache.Options {
		o := crcache.Options{ByObject: map[client.Object]crcache.ByObject{}}
		for _, example := range examples {
			o.ByObject[example] = settings
		}
		return o
	}
	for _, tt := range []struct {
		name string
		opts crcache.Options
		// stricter is the reason if only ours refuses the options.
		stricter string
	}{
		{"namespaces of a kind that has none", by(crcache.ByObject{Namespaces: map[string]crcache.Config{"a": {}}}, node.typed()), ""},
		{"all namespaces of a kind that has none", by(crcache.ByObject{Namespaces: everywhere}, node.typed()), ""},
		{"a kind that the server has not", by(crcache.ByObject{}, ghost.typed()), ""},
		{"a kind that the scheme has not", by(crcache.ByObject{}, networkPolicy.typed()), ""},
		{"no kind", by(crcache.ByObject{}, subject{&kind{}, asMap}.object()), ""},
		{"a namespace that can't be", crcache.Options{DefaultNamespaces: map[string]crcache.Config{"a/b": {}}},
			"theirs never syncs"},
		{"a negative period", crcache.Options{SyncPeriod: new(-time.Second)},
			"nobody can mean it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.opts.HTTPClient, tt.opts.Scheme = s.via, newScheme()
			_, theirs := theirs(s.config, tt.opts)
			_, ours := ours(s.config, tt.opts)
			switch {
			case ours == nil:
				t.Errorf("ours takes it; theirs: %v", theirs)
			case theirs == nil && tt.stricter == "":
				t.Errorf("theirs takes it; ours: %v", ours)
			case theirs != nil && tt.stricter != "":
				t.Errorf("theirs refuses it now, too: %v", theirs)
			case theirs != nil && class(theirs) != class(ours):
				t.Errorf("theirs is %s: %v\nours is %s: %v", class(theirs), theirs, class(ours), ours)
			}
		})
	}
}
