package predicate_test

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	ctrlpredicate "sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/predicate"
)

func ExampleChangedAt() {
	before, after := deployment(), deployment()
	after.ResourceVersion = "2"
	after.Labels["app"] = "db"
	spec := predicate.ChangedAt("spec")
	labels := predicate.ChangedAt("metadata.labels")
	fmt.Println(spec.Update(update(before, after)), labels.Update(update(before, after)))
	fmt.Println(ctrlpredicate.Or(spec, labels).Update(update(before, after)))
	// Output:
	// false true
	// true
}

func ExampleNotResync() {
	shownAgain := update(deployment(), deployment())
	fmt.Println(predicate.NotResync().Update(shownAgain))
	// Output: false
}

func ExampleNotStatusOnly() {
	before, after := deployment(), deployment()
	after.ResourceVersion = "2"
	after.Status.ReadyReplicas = 1
	fmt.Println(predicate.NotStatusOnly().Update(update(before, after)))
	after.Annotations["a"] = "c" // the generation does not count changes of annotations
	fmt.Println(predicate.NotStatusOnly().Update(update(before, after)))
	// Output:
	// false
	// true
}

// written knows one write. See manager.OwnWrites.
type written struct {
	delta.OwnWrites
	from, to string
}

func (w written) Made(_ types.UID, from, to string) bool    { return from == w.from && to == w.to }
func (written) Settled(context.Context, delta.Object) error { return nil }

func ExampleNotOwnWrite() {
	writes := written{from: "1", to: "2"} // manager.OwnWrites(mgr.GetClient()) in an operator
	notOurs := predicate.NotOwnWrite(writes)
	before, after := deployment(), deployment()
	after.ResourceVersion = "2"
	fmt.Println(notOurs.Update(update(before, after)))
	after.ResourceVersion = "3" // somebody else wrote
	fmt.Println(notOurs.Update(update(before, after)))
	// Output:
	// false
	// true
}
