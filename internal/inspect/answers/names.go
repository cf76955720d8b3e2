package answers

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
)

// names has the name of each kind that the cache has, under which it can be asked for.
type names map[schema.GroupVersionKind]string

// namesOf prefers the form of Go types where a kind has several forms.
func namesOf(kinds []observe.Kind) names {
	all := names{}
	for i := range kinds {
		if k := &kinds[i]; all[k.GVK] == "" || k.Form == "" {
			all[k.GVK] = k.Name
		}
	}
	return all
}

// of returns the name of a kind. A kind that the cache does not have gets the name that it would
// have there.
func (n names) of(gvk schema.GroupVersionKind) string {
	name, known := n[gvk]
	if known || gvk.Empty() {
		return name
	}
	version, kind := gvk.ToAPIVersionAndKind()
	return version + " " + kind
}
