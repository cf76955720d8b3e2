package samples

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	unstructuredv1 "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestWebIsTheCallersAlone(t *testing.T) {
	pristine := JSON(Web())
	changed := Web(
		func(d *appsv1.Deployment) { *d.Spec.Replicas = 5 },
		func(d *appsv1.Deployment) { *d.Spec.Replicas++ },
		func(d *appsv1.Deployment) { d.Labels["tier"] = "back" },
		func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Args[0] = "-q" },
	)
	if *changed.Spec.Replicas != 6 || changed.Labels["tier"] != "back" {
		t.Errorf("the changes are not made in their order: %s", JSON(changed))
	}
	if again := JSON(Web()); again != pristine {
		t.Errorf("a change to one shows in the next:\n%s\n%s", pristine, again)
	}
}

func TestBuiltinSchemasKnowWeb(t *testing.T) {
	if _, err := Builtin.ObjectToTyped(Web()); err != nil {
		t.Error(err)
	}
	unknown := Web(func(d *appsv1.Deployment) { d.APIVersion = "apps/v99" })
	if _, err := Builtin.ObjectToTyped(unknown); err == nil {
		t.Error("there is a schema of a version that Kubernetes does not have")
	}
}

func TestCustomSchemasCheckObjects(t *testing.T) {
	of := func(spec map[string]any) *unstructuredv1.Unstructured {
		return &unstructuredv1.Unstructured{Object: map[string]any{"kind": "Custom", "spec": spec}}
	}
	fits := of(map[string]any{"items": []any{map[string]any{"name": "a"}}, "free": map[string]any{"anything": int64(1)}})
	if _, err := Custom().ObjectToTyped(fits); err != nil {
		t.Error(err)
	}
	if _, err := Custom().ObjectToTyped(of(map[string]any{"itmes": nil})); err == nil {
		t.Error("a field that the schema does not name is accepted")
	}
}

func TestRefusingSchemasCount(t *testing.T) {
	var r Refusing
	for range 2 {
		if _, err := r.ObjectToTyped(Web()); err == nil {
			t.Error("schemas that know no kind know a Deployment")
		}
	}
	if r.Calls != 2 {
		t.Errorf("asked twice, they count %d", r.Calls)
	}
}

func TestTreeIsDecodedJSON(t *testing.T) {
	if got := Tree(Web())["metadata"].(map[string]any)["generation"]; got != 1.0 {
		t.Errorf("the generation is %v of type %T, want the number of JSON", got, got)
	}
}

func TestDiceRollTheSameForASeed(t *testing.T) {
	const rolls = 2400
	first, second := NewDice(7), NewDice(7)
	often, seldom, seen := 0, 0, map[any]bool{}
	for range rolls {
		value, isOften, isSeldom := first.OneOf("a", "b"), first.Often(), first.Seldom()
		if second.OneOf("a", "b") != value || second.Often() != isOften || second.Seldom() != isSeldom {
			t.Fatal("two dice of a seed differ")
		}
		seen[value] = true
		if isOften {
			often++
		}
		if isSeldom {
			seldom++
		}
	}
	if len(seen) != 2 || often < rolls/2 || often > rolls*5/6 || seldom < rolls/12 || seldom > rolls/6 {
		t.Errorf("of %d rolls %d are often and %d seldom; the values are %v", rolls, often, seldom, seen)
	}
}
