package predicate

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlpredicate "sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

// NotStatusOnly holds back updates of the status alone, and of what changes along with it:
// resourceVersion and managedFields. It passes everything else. If the generation differs, an
// update passes, because a kind without a status subresource counts changes of its status
// there. NotStatusOnly compares the content, so it also works for kinds without a generation or
// a status. A resync passes; see [NotResync]. So does an update that a relist showed, because it
// may hide what somebody changed and changed back.
//
// Metadata alone does not show a status. If nothing in it differs, the generation decides. A
// kind that has one counts everything but the status in it. The generation of a PriorityClass
// never changes, so its updates pass.
func NotStatusOnly() ctrlpredicate.Predicate { return TypedNotStatusOnly[client.Object]() }

// TypedNotStatusOnly is [NotStatusOnly] for objects of one type.
func TypedNotStatusOnly[O client.Object]() ctrlpredicate.TypedPredicate[O] {
	return byContent[O]{updates(func(before, after O) bool {
		if path.SameState(before, after) || before.GetGeneration() != after.GetGeneration() {
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

// countsContent reports whether the generation of an object changes with its content. It does
// for all kinds that have one, but not for PriorityClass, where the server only sets it.
func countsContent(obj client.Object) bool {
	kind := obj.GetObjectKind().GroupVersionKind().GroupKind()
	return obj.GetGeneration() != 0 && kind != schema.GroupKind{Group: "scheduling.k8s.io", Kind: "PriorityClass"}
}
