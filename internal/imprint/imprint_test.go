// The promise that the tests of this package hold the codec to: what a Writer accepts, a Reader makes equal by
// reflect.DeepEqual, in sequences of any objects of one type, whatever they share; neither changes an object
// that it has seen; and what was shared is shared.
package imprint_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/delta-runtime/delta-runtime/internal/imprint"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

func TestEveryTypeOfTheScheme(t *testing.T) {
	known := typesOfScheme()
	if len(known) < 100 {
		t.Fatalf("there are %d types", len(known))
	}
	known["metadata"] = reflect.TypeFor[metav1.PartialObjectMetadata]()
	known["odd"] = reflect.TypeFor[odd]()
	known["many"] = many()
	for name, made := range known {
		t.Run(name, func(t *testing.T) {
			seeds.RunHeavy(t, 3, func(t *testing.T, rng *rand.Rand) {
				comesBack(t, sequence(rng, func() any { return random(rng, made) }))
			})
		})
	}
}

func TestUnstructured(t *testing.T) {
	seeds.Run(t, 200, func(t *testing.T, rng *rand.Rand) {
		comesBack(t, sequence(rng, func() any {
			return &unstructured.Unstructured{Object: entries(rng, 5)}
		}))
	})
}

// odd has what Kubernetes has not.
type odd struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Small    int8
	Middle   int16
	Byte     uint8
	Short    uint16
	Large    uint64
	Half     float32
	Any      any
	Anys     []any
	Nothings []struct{}
	Flags    []bool
	Metas    []metav1.ObjectMeta
	Itself   *odd
	ByName   map[types.UID]*odd
	Lists    map[string][]float64
}

// many returns a struct with more fields than a mask has bits.
func many() reflect.Type {
	var fields []reflect.StructField
	for i := range 150 {
		of := []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[bool](), reflect.TypeFor[*int]()}[i%3]
		fields = append(fields, reflect.StructField{Name: fmt.Sprint("F", i), Type: of})
	}
	return reflect.StructOf(fields)
}

// sequence makes objects. Some are changes of earlier ones, some equal to them, and some have nothing to do with them.
// Some have a controller.
func sequence(rng *rand.Rand, make func() any) []any {
	objs := []any{make()}
	for range 12 {
		before := objs[rng.IntN(len(objs))]
		switch rng.IntN(6) {
		case 0:
			objs = append(objs, make())
		case 1:
			objs = append(objs, duplicate(before))
		case 2:
			objs = append(objs, reflect.New(reflect.TypeOf(before).Elem()).Interface())
		default:
			objs = append(objs, next(rng, before, objs[rng.IntN(len(objs))]))
		}
	}
	for _, obj := range objs {
		if about, ok := obj.(metav1.ObjectMetaAccessor); ok && rng.IntN(3) > 0 {
			controls := true
			owner := metav1.OwnerReference{UID: types.UID([]string{"a", "b"}[rng.IntN(2)]), Controller: &controls}
			about.GetObjectMeta().SetOwnerReferences([]metav1.OwnerReference{owner})
		}
	}
	return objs
}

// comesBack writes objects and reads them again.
func comesBack(t *testing.T, objs []any) {
	t.Helper()
	var before []any
	for _, obj := range objs {
		before = append(before, duplicate(obj))
	}
	all, ends := records(t, objs)
	got := read(t, objs[0], all, ends)
	for i, obj := range objs {
		if !reflect.DeepEqual(obj, before[i]) {
			t.Fatalf("object %d was changed: (-now +before)\n%s", i, difference(obj, before[i]))
		}
		if !reflect.DeepEqual(got[i], obj) {
			t.Fatalf("object %d of %T: (-got +want)\n%s", i, obj, difference(got[i], obj))
		}
	}
}

func difference(a, b any) string {
	return cmp.Diff(a, b, cmp.Exporter(func(reflect.Type) bool { return true }))
}

func TestRefusedTypes(t *testing.T) {
	for _, example := range []any{
		nil, 0, corev1.Pod{}, new(int),
		&struct{ Do func() }{}, &struct{ Wait chan int }{}, &struct{ Err error }{}, &struct{ hidden int }{},
		&struct{ ByNumber map[int]string }{}, &struct{ List []complex128 }{}, &resource.Quantity{}, &metav1.Time{},
	} {
		if _, err := imprint.TypeOf(example); err == nil {
			t.Errorf("%T is accepted", example)
		}
	}
}
