package imprint_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/delta-runtime/delta-runtime/internal/imprint"
)

// free is an unstructured object with one field.
func free(value any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"a": value}}
}

func nested(deep int) any {
	var value any
	for range deep {
		value = []any{value}
	}
	return value
}

// TestRefusedObjects sees that what is refused leaves nothing behind: the objects after it come back.
func TestRefusedObjects(t *testing.T) {
	created := func(when time.Time) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.Time{Time: when}}}
	}
	ring := &odd{}
	ring.Itself = ring
	for name, tt := range map[string]struct {
		bad  any
		good []any
	}{
		"a time of another zone":   {created(time.Now().Round(0).In(time.FixedZone("X", 7))), []any{created(time.Unix(7, 0))}},
		"a time with a clock":      {created(time.Now()), []any{created(time.Unix(7, 0))}},
		"an int":                   {free(1), []any{free(int64(1)), free(1.0)}},
		"a list of texts":          {free([]string{"a"}), []any{free([]any{"a"})}},
		"a deep list":              {free(nested(2000)), []any{free(nested(300)), free(nested(301))}},
		"a ring":                   {ring, []any{&odd{Small: -1}}},
		"an object that was made":  {&appsv1.ControllerRevision{Data: runtime.RawExtension{Object: created(time.Time{})}}, []any{&appsv1.ControllerRevision{Revision: 1}}},
		"another type":             {&corev1.Node{}, []any{&corev1.Pod{}}},
		"nothing":                  {(*corev1.Pod)(nil), []any{&corev1.Pod{}}},
		"nothing of no type":       {nil, []any{&corev1.Pod{}}},
		"a list of much emptiness": {&odd{Metas: make([]metav1.ObjectMeta, 1<<14)}, []any{&odd{Metas: make([]metav1.ObjectMeta, 1<<7), Flags: make([]bool, 1<<20)}}},
	} {
		t.Run(name, func(t *testing.T) {
			w, r := newWriter(t, tt.good[0]), newReader(t, tt.good[0])
			for _, obj := range append(tt.good, tt.good...) {
				if data, err := w.Append(nil, tt.bad); err == nil {
					t.Errorf("it is written as %q", data)
				}
				data, err := w.Append(nil, obj)
				if err != nil {
					t.Fatal(err)
				}
				if got, err := r.Next(data); err != nil || !reflect.DeepEqual(got, obj) {
					t.Errorf("it comes back as %v, %v: %s", got, err, difference(got, obj))
				}
			}
		})
	}
}

// TestValues sees that values come back to the last bit.
func TestValues(t *testing.T) {
	minus := math.Copysign(0, -1)
	whole, fraction := resource.MustParse("1Gi"), resource.MustParse("0.5")
	said := resource.MustParse("0.5")
	_ = said.String() // which keeps the text in it
	sum := resource.MustParse("1")
	sum.Add(resource.MustParse("10m"))
	objs := []any{free(0.0), free(minus), free(int64(0)), free(1.0), free(int64(1)), free(nil), free([]any{}), free([]any(nil)), free(map[string]any{}), free(map[string]any(nil)), free("")}
	written, ends := records(t, objs)
	for i, got := range read(t, objs[0], written, ends) {
		value, want := got.(*unstructured.Unstructured).Object["a"], objs[i].(*unstructured.Unstructured).Object["a"]
		if number, is := want.(float64); !reflect.DeepEqual(value, want) || is && math.Signbit(value.(float64)) != math.Signbit(number) {
			t.Errorf("value %d is %#v, want %#v", i, value, want)
		}
	}
	node := func(q resource.Quantity) any {
		return &corev1.Node{Status: corev1.NodeStatus{Capacity: corev1.ResourceList{"cpu": q}}}
	}
	comesBack(t, []any{node(whole), node(fraction), node(said), node(sum), node(resource.Quantity{}), node(*resource.NewScaledQuantity(3, -7))})
	lease := func(when time.Time) any {
		return &corev1.Event{EventTime: metav1.MicroTime{Time: when}}
	}
	now := time.Now().Round(0)
	comesBack(t, []any{lease(now), lease(now.UTC()), lease(time.Time{}), lease(time.Time{}.Local()), lease(time.Unix(0, 0)), lease(time.Unix(0, 0).UTC()), lease(time.Unix(1<<40, 999))})
}

// TestOwners sees that an object is written relative to the last of its controller: then it takes next to nothing.
func TestOwners(t *testing.T) {
	controls := true
	typed := func(owner, text string) any {
		pod := &corev1.Pod{Spec: corev1.PodSpec{NodeName: text}}
		if owner != "" {
			pod.OwnerReferences = []metav1.OwnerReference{{UID: "x"}, {UID: types.UID(owner), Controller: &controls}}
		}
		return pod
	}
	untyped := func(owner, text string) any {
		about := map[string]any{}
		if owner != "" {
			about["ownerReferences"] = []any{map[string]any{"uid": "x"}, map[string]any{"uid": owner, "controller": true}}
		}
		return &unstructured.Unstructured{Object: map[string]any{"metadata": about, "spec": text}}
	}
	first, second := strings.Repeat("first", 20), strings.Repeat("second", 20)
	for _, make := range []func(owner, text string) any{typed, untyped} {
		objs := []any{make("owner", first), make("", second), make("owner", first), make("", second)}
		_, ends := records(t, objs)
		for i := 2; i < 4; i++ {
			if size := ends[i] - ends[i-1]; size > 30 {
				t.Errorf("%T %d takes %d bytes", objs[i], i, size)
			}
		}
		comesBack(t, objs)
	}
}

// TestPrint sees that each layout has its own print.
func TestPrint(t *testing.T) {
	type part struct{ A string }
	type otherPart struct{ A string }
	prints := map[string]any{}
	for _, example := range []any{
		&struct{ A, B string }{}, &struct{ B, A string }{}, &struct{ A string }{}, &struct{ A *string }{},
		&struct{ A int32 }{}, &struct{ A uint32 }{}, &struct{ A int64 }{}, &struct {
			A string `json:"a"`
		}{}, &struct{ A part }{}, &struct{ A otherPart }{}, &struct{ A []part }{}, &struct{ A []otherPart }{}, &struct{ A map[string]part }{},
		&struct{ A []byte }{}, &struct{ A metav1.Time }{}, &struct{ A metav1.MicroTime }{}, &part{}, &otherPart{},
	} {
		known, err := imprint.TypeOf(example)
		if err != nil {
			t.Fatal(err)
		}
		if other, twice := prints[known.Print()]; twice {
			t.Errorf("%T has the print of %T", example, other)
		}
		prints[known.Print()] = example
	}
}

// TestLengths sees that no memory is taken for what a record only promises.
func TestLengths(t *testing.T) {
	huge := binary.AppendUvarint(nil, 1<<40)
	for name, tt := range map[string]struct {
		example any
		data    []byte
	}{
		"a text":        {&struct{ A string }{}, append([]byte{0, 1}, huge...)},
		"bytes":         {&struct{ A []byte }{}, append([]byte{0, 1}, huge...)},
		"a list":        {&struct{ A []string }{}, append([]byte{0, 1}, huge...)},
		"large parts":   {&struct{ A []corev1.PodSpec }{}, append([]byte{0, 1, 0xff, 0x0f}, make([]byte, 400)...)},
		"a key":         {&struct{ A map[string]string }{}, append([]byte{0, 1, 1}, huge...)},
		"a distance":    {&struct{ A string }{}, append(huge, 0)},
		"a common part": {&struct{ A string }{}, []byte{0, 1, 1, 1, 0}},
		"common parts":  {&struct{ A string }{}, append(append([]byte{0, 1, 1}, binary.AppendUvarint(nil, math.MaxUint64)...), 2)},
	} {
		r := newReader(t, tt.example)
		if got, err := r.Next(tt.data); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
		if allocated := testing.AllocsPerRun(10, func() { _, _ = r.Next(tt.data) }); allocated > 10 {
			t.Errorf("%s: it took memory %v times", name, allocated)
		}
	}
}

// TestSpoiled cuts records off, adds to them and reads them in another order.
func TestSpoiled(t *testing.T) {
	objs := cached(t, 3)
	all, ends := records(t, objs)
	for i := range ends[0] {
		if _, err := newReader(t, objs[0]).Next(all[:i:i]); err == nil {
			t.Fatalf("%d bytes of %d are a Pod", i, ends[0])
		}
	}
	if _, err := newReader(t, objs[0]).Next(append(bytes.Clone(all[:ends[0]]), 0)); err == nil {
		t.Error("what follows on a record is accepted")
	}
	if _, err := newReader(t, objs[0]).Next(all[ends[0]:ends[1]]); err == nil || errors.Unwrap(err) == nil {
		t.Errorf("the second record is read without the first: %v", err)
	}
}
