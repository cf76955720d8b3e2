package differential

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type key = client.ObjectKey

// marker is the name of one object of every kind in every namespace. Every selector of the
// options selects it, and it is never deleted.
const marker = "o1"

// beatAnnotation is the annotation of a marker with the number of the beat.
const beatAnnotation = "beat"

var names = []string{"o0", marker, "o2", "o3", "o4", "o5"}

// world has the objects that a game has written to the server.
type world struct {
	server *server
	rng    *rand.Rand
	kinds  []*kind
	there  map[*kind]map[key]bool
	beats  int
}

func newWorld(s *server, rng *rand.Rand, kinds []*kind) *world {
	w := &world{server: s, rng: rng, kinds: kinds, there: map[*kind]map[key]bool{}}
	for _, k := range kinds {
		w.there[k] = map[key]bool{}
	}
	return w
}

func (w *world) namespacesOf(k *kind) []string {
	if !k.namespaced {
		return []string{""}
	}
	return namespaces
}

// populate writes the first objects of a game: the markers, and a few more.
func (w *world) populate(ctx context.Context) error {
	for _, k := range w.kinds {
		for _, namespace := range w.namespacesOf(k) {
			if err := w.put(ctx, k, key{Namespace: namespace, Name: marker}); err != nil {
				return err
			}
		}
	}
	for range 12 {
		if err := w.write(ctx); err != nil {
			return err
		}
	}
	return w.settle(ctx)
}

// settle waits until the server's watch caches have all that was written. An informer may list at version 0, and is then
// shown what the watch cache has, however old that is.
func (w *world) settle(ctx context.Context) error {
	for _, k := range w.kinds {
		all := w.server.client.Resource(k.resource())
		now, err := all.List(ctx, metav1.ListOptions{})
		if err != nil {
			return fmt.Errorf("list %s: %w", k.gvk.Kind, err)
		}
		at := now.GetResourceVersion()
		fresh := metav1.ListOptions{ResourceVersion: at, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}
		if _, err := all.List(ctx, fresh); err != nil {
			return fmt.Errorf("list %s not older than version %s: %w", k.gvk.Kind, at, err)
		}
	}
	return nil
}

// write changes, creates or deletes a random object.
func (w *world) write(ctx context.Context) error {
	k := w.kinds[w.rng.IntN(len(w.kinds))]
	in := w.namespacesOf(k)
	at := key{Namespace: in[w.rng.IntN(len(in))], Name: names[w.rng.IntN(len(names))]}
	if w.there[k][at] && at.Name != marker && !k.permanent && w.rng.IntN(3) == 0 {
		delete(w.there[k], at)
		return w.server.remove(ctx, k, at)
	}
	if k.permanent && at.Name != marker {
		at.Name = []string{"o0", "a", "b"}[w.rng.IntN(3)]
	}
	return w.put(ctx, k, at)
}

func (w *world) put(ctx context.Context, k *kind, at key) error {
	labels := w.labels(at.Name)
	if w.there[k][at] || k.permanent {
		w.there[k][at] = true
		return w.server.relabel(ctx, k, at, labels)
	}
	w.there[k][at] = true
	return w.server.create(ctx, k, at, labels)
}

// labels draws labels. Those of a marker satisfy every selector of the options.
func (w *world) labels(name string) map[string]string {
	labels := map[string]string{}
	if w.rng.IntN(5) > 0 {
		labels["app"] = []string{"x", "y", "z", ""}[w.rng.IntN(4)]
	}
	if w.rng.IntN(5) > 0 {
		labels["tier"] = []string{"1", "2", "3", "5", "high"}[w.rng.IntN(5)]
	}
	if w.rng.IntN(3) == 0 {
		labels["flag"] = ""
	}
	if name == marker {
		labels["app"], labels["tier"] = "x", "3"
	}
	return labels
}

// beat writes the next number into every marker.
func (w *world) beat(ctx context.Context) (int, error) {
	w.beats++
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, beatAnnotation, strconv.Itoa(w.beats))
	for _, k := range w.kinds {
		for _, namespace := range w.namespacesOf(k) {
			_, err := w.server.in(k, namespace).Patch(ctx, marker, types.MergePatchType, patch, metav1.PatchOptions{})
			if err != nil {
				return 0, w.server.explain(err, "patch", k, key{Namespace: namespace, Name: marker})
			}
		}
	}
	return w.beats, w.settle(ctx)
}

// clear deletes everything, so that each game begins with nothing.
func (w *world) clear(ctx context.Context) error {
	for _, k := range w.kinds {
		for _, at := range slices.SortedFunc(maps.Keys(w.there[k]), byKey) {
			remove := w.server.remove
			if k.permanent {
				remove = w.plain
			}
			if err := remove(ctx, k, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// plain removes the labels and the beat from an object that can't be deleted.
func (w *world) plain(ctx context.Context, k *kind, at key) error {
	patch := []byte(`{"metadata":{"annotations":null,"labels":null}}`)
	_, err := w.server.in(k, at.Namespace).Patch(ctx, at.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	return w.server.explain(err, "clear", k, at)
}

func byKey(a, b key) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}
