package predicate

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlpredicate "sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/internal/objects"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

// NotStatusOnly passes everything but an update of the status alone, with what comes
// along: resourceVersion and managedFields. If anything else differs it passes, the
// generation as well: a kind without a status subresource counts changes of its status
// there. It looks at the content, so that it may be used for kinds without generation
// and without status. A resync passes; see [NotResync]. So does an update that a relist
// showed, since it may hide what was changed and changed back.
//
// Metadata alone does not show a status. If nothing differs in it then, the generation
// decides: it counts everything but the status, for kinds that have one. A PriorityClass
// has one that never changes, so its updates pass.
func NotStatusOnly() ctrlpredicate.Predicate { return TypedNotStatusOnly[client.Object]() }

// TypedNotStatusOnly is [NotStatusOnly] for objects of one type.
func TypedNotStatusOnly[O client.Object]() ctrlpredicate.TypedPredicate[O] {
	return byContent[O]{updates(func(before, after O) bool {
		if objects.SameState(before, after) || before.GetGeneration() != after.GetGeneration() {
			return true
		}
		diff := diff.New(before, after, nil)
		if diff.Err() != nil || diff.Truncated() {
			return true
		}
		for path := range diff.Paths() {
			if path != "status" && !strings.HasPrefix(path, "status.") && !strings.HasPrefix(path, "status[") {
				return true
			}
		}
		_, partial := any(after).(*metav1.PartialObjectMetadata)
		return partial && !countsContent(after)
	})}
}

// countsContent reports whether the generation of an object changes with its content. It
// does for all kinds that have one but PriorityClass, whose server only sets it.
func countsContent(obj client.Object) bool {
	kind := obj.GetObjectKind().GroupVersionKind().GroupKind()
	return obj.GetGeneration() != 0 && kind != schema.GroupKind{Group: "scheduling.k8s.io", Kind: "PriorityClass"}
}
