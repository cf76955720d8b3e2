package source_test

import (
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/source"
)

func ExampleChangedAt() {
	before, after := deployment(), deployment()
	after.ResourceVersion = "2"
	after.Labels["app"] = "db"
	spec := source.ChangedAt[client.Object]("spec")
	labels := source.ChangedAt[client.Object]("metadata.labels")
	fmt.Println(spec.Update(update(before, after)), labels.Update(update(before, after)))
	fmt.Println(predicate.Or(spec, labels).Update(update(before, after)))
	// Output:
	// false true
	// true
}

func ExampleNotResync() {
	shownAgain := update(deployment(), deployment())
	fmt.Println(source.NotResync[client.Object]().Update(shownAgain))
	// Output: false
}

func ExampleNotStatusOnly() {
	before, after := deployment(), deployment()
	after.ResourceVersion = "2"
	after.Status.ReadyReplicas = 1
	fmt.Println(source.NotStatusOnly[client.Object]().Update(update(before, after)))
	after.Annotations["a"] = "c" // which the generation does not count
	fmt.Println(source.NotStatusOnly[client.Object]().Update(update(before, after)))
	// Output:
	// false
	// true
}

func ExampleNotOwnWrite() {
	writes := delta.NewWrites(delta.WritesOptions{}) // manager.OwnWrites(mgr.GetClient()) in an operator
	notOurs := source.NotOwnWrite[client.Object](writes)
	before, after := deployment(), deployment()
	after.ResourceVersion = "2"
	writes.Wrote(after.UID, before.ResourceVersion, after.ResourceVersion)
	fmt.Println(notOurs.Update(update(before, after)))
	after.ResourceVersion = "3" // somebody else wrote
	fmt.Println(notOurs.Update(update(before, after)))
	// Output:
	// false
	// true
}
