package store

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

func compareCells(a, b cell) int {
	return cmp.Or(a.key.Compare(b.key), cmp.Compare(a.version, b.version))
}

// differs compares cells without regard to order.
func differs(got, want []cell) bool {
	return !slices.Equal(sorted(got, compareCells), sorted(want, compareCells))
}

var selectors = []string{
	"", "color=red", "color==blue,size=1", "color in (red,green)", "size", "!size", "size>1", "size<2",
	"color!=red", "color notin (red,blue),size", "color=none", "other=x", "size in (1,2),color=red", "color=red,color=blue",
}

func compareReads(r reads, w world) error {
	if r.Len() != len(w.cells) || r.Version() != w.version {
		return fmt.Errorf("%d objects at %q, want %d at %q", r.Len(), r.Version(), len(w.cells), w.version)
	}
	for _, ns := range namespaces {
		for _, name := range names {
			key := delta.Key{Namespace: ns, Name: name}
			got, ok := r.Get(key)
			if want, has := w.cells[key]; got != want || ok != has {
				return fmt.Errorf("Get(%s) = %v %v, want %v %v", key, got, ok, want, has)
			}
		}
	}
	if got, want := r.List(), w.where(func(cell) bool { return true }); differs(got, want) {
		return fmt.Errorf("List = %v, want %v", got, want)
	}
	for _, s := range selectors {
		sel, err := labels.Parse(s)
		if err != nil {
			return err
		}
		for _, ns := range namespaces { // the empty one is all
			want := w.where(func(c cell) bool {
				return (ns == "" || ns == c.key.Namespace) && sel.Matches(labels.Set(cellTraits.Labels(c)))
			})
			if got := r.Select(ns, sel); differs(got, want) {
				return fmt.Errorf("Select(%q, %s) = %v, want %v", ns, s, got, want)
			}
		}
	}
	return compareIndexes(r, w)
}

func compareIndexes(r reads, w world) error {
	for name := range w.indexers {
		want := w.indexed(name)
		values, err := r.IndexValues(name)
		if err != nil || !slices.Equal(slices.Sorted(slices.Values(values)), slices.Sorted(maps.Keys(want))) {
			return fmt.Errorf("IndexValues(%s) = %v %w, want those of %v", name, values, err, want)
		}
		for _, value := range append(values, "nothing") {
			got, err := r.ByIndex(name, value)
			if err != nil || differs(got, want[value]) {
				return fmt.Errorf("ByIndex(%s, %s) = %v %w, want %v", name, value, got, err, want[value])
			}
			keys, err := r.IndexKeys(name, value)
			if err != nil || len(keys) != len(got) {
				return fmt.Errorf("IndexKeys(%s, %s) = %v %w, want those of %v", name, value, keys, err, got)
			}
			for _, c := range got {
				if !slices.Contains(keys, c.key) {
					return fmt.Errorf("IndexKeys(%s, %s) = %v without %v", name, value, keys, c.key)
				}
			}
		}
	}
	return nil
}

func compareView(v *View[cell], w world) error {
	if err := compareReads(v, w); err != nil {
		return err
	}
	for _, ns := range namespaces {
		keys := slices.Collect(v.Keys(ns))
		slices.SortFunc(keys, delta.Key.Compare)
		var want []delta.Key
		for _, c := range sorted(w.where(func(c cell) bool { return ns == "" || c.key.Namespace == ns }), compareCells) {
			want = append(want, c.key)
		}
		if !slices.Equal(keys, want) {
			return fmt.Errorf("Keys(%q) = %v, want %v", ns, keys, want)
		}
	}
	var got []cell
	for key, c := range v.All() {
		if key != c.key {
			return fmt.Errorf("All gives %v for %s", c, key)
		}
		got = append(got, c)
	}
	if differs(got, w.where(func(cell) bool { return true })) {
		return fmt.Errorf("All = %v", got)
	}
	return nil
}

var (
	namespaces = []string{"", "a", "b"}
	names      = []string{"x", "y", "z", "u", "v", "w"}
	colors     = []string{"red", "green", "blue"}
	tags       = []string{"", "p", "q", "pq", "qp", "pp", "r", "!"}
)
