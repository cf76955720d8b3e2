package skip

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/pkg/manager"
	drpredicate "github.com/delta-runtime/delta-runtime/pkg/predicate"
)

// filter is a predicate of a watch, and the changes that it has to let through.
type filter struct {
	name string
	// make is nil for a filter that lets everything through.
	make func(*life) predicate.Predicate
	// shows reports whether each change at the place is let through.
	shows func(*place) bool
	// ours says that a new object of the same name counts as a change. It does for our
	// predicates. Others only compare their fields.
	ours bool
}

// unfiltered lets everything through.
var unfiltered = filter{name: "no predicate", shows: func(*place) bool { return true }, ours: true}

// filter draws a predicate that shows everything that must be shown, and something more.
func (g *generator) filter(w *watch, must []*place) filter {
	if !g.has(predicates) || g.rng.IntN(3) == 0 {
		return unfiltered
	}
	candidates := []filter{g.changedAt(w, must), g.changedAt(w, must), unfiltered}
	candidates = append(candidates, notStatusOnly, notResync)
	if g.has(ownWrites) {
		candidates = append(candidates, notOwnWrite, notOwnWrite)
	}
	if !g.exchanges() {
		candidates = append(candidates, theirs(w)...)
	}
	candidates = slices.DeleteFunc(candidates, func(f filter) bool {
		return slices.ContainsFunc(must, func(p *place) bool { return !f.shows(p) }) || len(w.visible(f)) == 0
	})
	return candidates[g.rng.IntN(len(candidates))]
}

// exchanges reports whether a relist can show an object instead of another one with the same
// name. Predicates that do not compare UIDs may hide that from all watches.
func (g *generator) exchanges() bool { return g.has(losses | uprootings) }

var notStatusOnly = filter{
	name: "NotStatusOnly()", ours: true,
	make:  func(*life) predicate.Predicate { return drpredicate.NotStatusOnly() },
	shows: func(p *place) bool { return p.fields[0] != "status" },
}

var notResync = filter{
	name: "NotResync()", ours: true,
	make:  func(*life) predicate.Predicate { return drpredicate.NotResync() },
	shows: func(*place) bool { return true },
}

// notOwnWrite holds back the writes of the manager's client, which writes only the note.
var notOwnWrite = filter{
	name: "NotOwnWrite()", ours: true,
	make: func(l *life) predicate.Predicate {
		return drpredicate.NotOwnWrite(manager.OwnWrites(l.manager.GetClient()))
	},
	shows: func(p *place) bool { return !slices.Equal(p.fields, note.fields) },
}

// changedAt is our predicate, for the places that must be shown and one more.
func (g *generator) changedAt(w *watch, must []*place) filter {
	shown := append(slices.Clone(must), pick(g.rng, w.kind.places))
	var paths []string
	for _, p := range shown {
		path := p.path
		if wrong := p.knownWrong(w.kind); g.has(misspellings) && len(wrong) > 0 && g.rng.IntN(3) == 0 {
			path = pick(g.rng, wrong)
		}
		paths = append(paths, path)
	}
	return filter{
		name: fmt.Sprintf("ChangedAt(%s)", strings.Join(paths, ", ")), ours: true,
		make: func(*life) predicate.Predicate { return drpredicate.ChangedAt(paths...) },
		shows: func(p *place) bool {
			return slices.ContainsFunc(shown, func(s *place) bool { return slices.Equal(s.fields, p.fields) })
		},
	}
}

// theirs are controller-runtime's predicates, and predicates that users write themselves.
func theirs(w *watch) []filter {
	under := func(prefix ...any) func(*place) bool {
		return func(p *place) bool {
			return len(p.fields) >= len(prefix) && slices.Equal(p.fields[:len(prefix)], prefix)
		}
	}
	all := []filter{
		{
			name: "LabelChangedPredicate", shows: under("metadata", "labels"),
			make: func(*life) predicate.Predicate { return predicate.LabelChangedPredicate{} },
		},
		{
			name: "AnnotationChangedPredicate or LabelChangedPredicate",
			shows: func(p *place) bool {
				return under("metadata", "annotations")(p) || under("metadata", "labels")(p)
			},
			make: func(*life) predicate.Predicate {
				return predicate.Or[client.Object](predicate.AnnotationChangedPredicate{}, predicate.LabelChangedPredicate{})
			},
		},
	}
	if w.kind.generation {
		all = append(all, filter{
			name: "GenerationChangedPredicate", shows: under("spec"),
			make: func(*life) predicate.Predicate { return predicate.GenerationChangedPredicate{} },
		})
	}
	if w.form == metadataForm {
		return all
	}
	data := under("data")
	return append(all, filter{
		name: "a function that compares data", shows: func(p *place) bool { return data(p) },
		make: func(*life) predicate.Predicate {
			return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool { return dataOf(e.ObjectOld) != dataOf(e.ObjectNew) }}
		},
	})
}

// dataOf returns the value that a user's predicate compares.
func dataOf(obj client.Object) string {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		panic(err)
	}
	return string(encode(map[string]any{"data": content["data"]}))
}

// pick draws one of several values.
func pick[T any](rng *rand.Rand, all []T) T { return all[rng.IntN(len(all))] }
