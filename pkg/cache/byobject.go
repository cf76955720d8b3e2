package cache

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// The keys of ByObject are pointers, so that it may have several entries for one kind.
// controller-runtime uses one of them, by chance. Here they are one entry: see unite.

// addOurs takes in what our options say of kinds.
func (p *plan) addOurs(scheme *runtime.Scheme, ours Options) error {
	said, err := entries(ours.ByObject, scheme, func(_ schema.GroupVersionKind, by KindOptions) (kindSettings, error) {
		return kindSettings{settings: settings{KindOptions: by}}, by.check()
	})
	p.add(said, ours.Log)
	return err
}

// addTheirs takes in what controller-runtime's options say of kinds.
func (p *plan) addTheirs(opts crcache.Options, log logr.Logger) error {
	said, err := entries(opts.ByObject, opts.Scheme, func(gvk schema.GroupVersionKind, by crcache.ByObject) (kindSettings, error) {
		return p.entry(gvk, by, opts.Mapper)
	})
	p.add(said, log)
	return err
}

// entries returns what the entries of a ByObject say, by kind.
func entries[V any](
	byObject map[client.Object]V, scheme *runtime.Scheme, read func(schema.GroupVersionKind, V) (kindSettings, error),
) (map[schema.GroupVersionKind][]kindSettings, error) {
	all := map[schema.GroupVersionKind][]kindSettings{}
	for obj, by := range byObject {
		gvk, err := kindOfKey(obj, scheme)
		var k kindSettings
		if err == nil {
			k, err = read(gvk, by)
		}
		if err != nil {
			return nil, fmt.Errorf("ByObject[%T]: %w", obj, err)
		}
		all[gvk] = append(all[gvk], k)
	}
	return all, nil
}

func kindOfKey(obj client.Object, scheme *runtime.Scheme) (schema.GroupVersionKind, error) {
	if obj == nil {
		return schema.GroupVersionKind{}, errors.New("the key is nil")
	}
	gvk, err := apiutil.GVKForObject(obj, scheme)
	if err != nil {
		return gvk, fmt.Errorf("find the kind: %w", err)
	}
	return gvk, nil
}

// entry returns what one entry of controller-runtime's options says of a kind, beside what ours say. A kind that
// the server does not have, and need not have, is taken to be as the options say.
func (p *plan) entry(gvk schema.GroupVersionKind, by crcache.ByObject, mapper meta.RESTMapper) (kindSettings, error) {
	k := kindSettings{settings: settings{Config: ofKind(by), KindOptions: p.kinds[gvk].KindOptions}}
	if err := k.check(); err != nil {
		return k, err
	}
	namespaced, err := apiutil.IsGVKNamespaced(gvk, mapper)
	switch {
	case err != nil && (k.or(p.all).Missing != WaitForIt || !meta.IsNoMatchError(err)):
		return k, fmt.Errorf("find out whether %s is namespaced: %w", gvk, err)
	case err == nil && !namespaced && by.Namespaces != nil:
		return k, fmt.Errorf("%s is not namespaced, but Namespaces is set", gvk)
	}
	if by.Namespaces == nil {
		return k, nil
	}
	k.namespaces, err = namespaceSettings("Namespaces", by.Namespaces)
	return k, err
}

// add makes one of the entries of each kind, and logs where these contradict each other.
func (p *plan) add(all map[schema.GroupVersionKind][]kindSettings, log logr.Logger) {
	for gvk, said := range all {
		slices.SortStableFunc(said, func(a, b kindSettings) int { return cmp.Compare(a.String(), b.String()) })
		k, contradict := said[0], false
		for _, other := range said[1:] {
			contradict = contradict || k.contradicts(other)
			k = unite(k, other)
		}
		if contradict {
			texts := make([]string, 0, len(said))
			for _, one := range said {
				texts = append(texts, one.String())
			}
			log.Info("ByObject has entries for one kind that contradict each other; for each option, the first in this order is used",
				"kind", gvk.String(), "entries", texts, "used", k.String())
		}
		k.configured = k.Resync
		p.kinds[gvk] = k
	}
}

// unite makes one of two entries for a kind. An option that one of them leaves open is taken from the other. Of two
// values the first counts: the caller has put the entries in order.
func unite(a, b kindSettings) kindSettings {
	a.settings = a.settings.unite(b.settings)
	switch {
	case a.namespaces == nil:
		a.namespaces = b.namespaces
	case sameNames(a.namespaces, b.namespaces):
		both := make(map[string]settings, len(a.namespaces))
		for namespace, s := range a.namespaces {
			both[namespace] = s.unite(b.namespaces[namespace])
		}
		a.namespaces = both
	}
	return a
}

func (s settings) unite(other settings) settings {
	if copies := other.UnsafeDisableDeepCopy; copies != nil && !*copies { // who needs copies would change the cache without them
		s.UnsafeDisableDeepCopy = copies
	}
	return s.or(other)
}

func sameNames(a, b map[string]settings) bool {
	return maps.EqualFunc(a, b, func(settings, settings) bool { return true })
}

// contradicts reports whether two entries for a kind have different values for one option.
func (k kindSettings) contradicts(other kindSettings) bool {
	agree := func(a, b settings) bool { return !a.contradicts(b) }
	return !agree(k.settings, other.settings) ||
		k.namespaces != nil && other.namespaces != nil && !maps.EqualFunc(k.namespaces, other.namespaces, agree)
}

// Where both have a value, each keeps its own.
func (s settings) contradicts(other settings) bool {
	return s.or(other).String() != other.or(s).String()
}

// String is what is set, as it is called in the options.
func (k kindSettings) String() string {
	if k.namespaces == nil {
		return k.settings.String()
	}
	all := make([]string, 0, len(k.namespaces))
	for _, namespace := range slices.Sorted(maps.Keys(k.namespaces)) {
		all = append(all, fmt.Sprintf("%q: {%s}", namespace, k.namespaces[namespace]))
	}
	return strings.TrimSuffix("Namespaces: {"+strings.Join(all, ", ")+"}, "+k.settings.String(), ", ")
}

// String is what is set, as it is called in the options. Transforms that are written at the same place look the same.
func (s settings) String() string {
	var said []string
	for _, options := range []any{s.Config, s.KindOptions} {
		for option, value := range reflect.ValueOf(options).Fields() {
			if !value.IsZero() {
				said = append(said, strings.TrimSuffix(option.Name, "Selector")+": "+spoken(value.Interface()))
			}
		}
	}
	return strings.Join(said, ", ")
}

// spoken is the value of an option.
func spoken(value any) string {
	switch v := value.(type) {
	case labels.Selector:
		if _, selectable := v.Requirements(); !selectable { // the selector of nothing has no text of its own
			return "nothing"
		}
		return strconv.Quote(v.String())
	case fields.Selector:
		return strconv.Quote(v.String())
	case toolscache.TransformFunc:
		return writtenAt(v).String()
	default:
		return fmt.Sprintf("%+v", reflect.Indirect(reflect.ValueOf(v)))
	}
}
