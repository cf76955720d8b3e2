package diff

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	unstructuredv1 "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/internal/testing/samples"
)

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// checkBounds checks diffs of objects that are too large to be shown completely.
func checkBounds(t *testing.T, d *Diff) {
	t.Helper()
	if n := len(slices.Collect(d.Edits())); d.Err() != nil || n == 0 || n > maxEdits {
		t.Errorf("%d edits, error %v", n, d.Err())
	}
	if text := d.String(); len(text) > maxText || !utf8.ValidString(text) {
		t.Errorf("the text is %d bytes: %s", len(text), text)
	}
	for e := range d.Edits() {
		if text := e.String(); len(text) > path.MaxPath+2*path.MaxValue+len("+:  → ") {
			t.Errorf("the text of an edit is %d bytes: %s", len(text), text)
		}
	}
}

func TestBoundsOfAHugeValue(t *testing.T) {
	large := strings.Repeat("é\"\n…", 1_500_000/8)
	kind := metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}
	before := &corev1.ConfigMap{TypeMeta: kind, ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string]string{"a": large, "b": large}, BinaryData: map[string][]byte{"c": []byte(large)}}
	after := before.DeepCopy()
	after.Data["a"], after.BinaryData["c"] = large+"x", []byte("x"+large)
	for _, schemas := range []Schemas{nil, samples.Builtin} {
		d := New(before, after, schemas)
		checkBounds(t, d)
		checkBounds(t, New(nil, after, schemas))
		if !d.Touches("data.a") || d.Touches("data.b") {
			t.Errorf("touches something else than what changed: %s", d)
		}
		small := New(&corev1.ConfigMap{TypeMeta: kind}, &corev1.ConfigMap{TypeMeta: kind, Data: map[string]string{"a": large}}, schemas)
		small.Empty()
		if bytes := allocated(func() { _ = small.String() }); bytes > 50_000 {
			t.Errorf("to print 100 bytes of a value of %d allocates %d", len(large), bytes)
		}
	}
}

func TestBoundsOfHugeNames(t *testing.T) {
	long := strings.Repeat("…", 100_000)
	kind := metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}
	before, after := &corev1.ConfigMap{TypeMeta: kind}, &corev1.ConfigMap{TypeMeta: kind, Data: map[string]string{}}
	before.Data = map[string]string{"x": "y"}
	after.Finalizers = []string{long}
	before.Finalizers = []string{"a"}
	for i := range 3 * maxEdits {
		after.Data[fmt.Sprint(long[:900], i)] = "x"
	}
	checkBounds(t, New(before, after, samples.Builtin))
}

// ports returns a Service with a list of elements that have keys.
func ports(order []int) *corev1.Service {
	s := &corev1.Service{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	for _, i := range order {
		s.Spec.Ports = append(s.Spec.Ports, corev1.ServicePort{Port: int32(i), Protocol: corev1.ProtocolTCP, Name: "x"})
	}
	return s
}

func TestBoundsOfLongLists(t *testing.T) {
	const n = 10_000
	order := rand.New(rand.NewPCG(1, 2)).Perm(n)
	before, one, all := ports(order), ports(order), ports(order)
	one.Spec.Ports[17].Name = "y"
	for i := range all.Spec.Ports {
		all.Spec.Ports[i].Name = "y"
	}
	d := New(before, one, samples.Builtin)
	checkBounds(t, d)
	port := fmt.Sprintf("spec.ports[port=%d,protocol=\"TCP\"].name", one.Spec.Ports[17].Port)
	if d.Truncated() || !d.Touches(port) || d.Touches(fmt.Sprintf("spec.ports[port=%d,protocol=\"TCP\"].name", one.Spec.Ports[18].Port)) {
		t.Errorf("got %s, want a change of %s", d, port)
	}
	d = New(before, all, samples.Builtin)
	checkBounds(t, d)
	if !d.Truncated() || !d.Touches("metadata.labels") || len(d.result().edits) != maxEdits || !strings.Contains(d.String(), "and more than 9") {
		t.Errorf("%d edits kept, truncated: %v, %s", len(d.result().edits), d.Truncated(), d)
	}
	checkBounds(t, New(before, all, nil))
}

// TestWorkGrowsWithTheObject compares ten times as much, and counts the allocations.
func TestWorkGrowsWithTheObject(t *testing.T) {
	work := func(n int) float64 {
		order := rand.New(rand.NewPCG(1, 2)).Perm(n)
		before, after := ports(order), ports(order)
		for i := range after.Spec.Ports {
			after.Spec.Ports[i].Name = "y"
		}
		return testing.AllocsPerRun(1, func() {
			if d := New(before, after, samples.Builtin); len(d.result().edits) != n {
				t.Errorf("%d edits of %d changes: %v", len(d.result().edits), n, d.Err())
			}
		})
	}
	if few, many := work(maxEdits/10), work(maxEdits); many > 11*few {
		t.Errorf("%v allocations for few changes, and %v for ten times as many", few, many)
	}
}

// nested is an object with values in it that are so deep, and beside each another one.
func nested(depth int, leaf string) *unstructuredv1.Unstructured {
	var at any = leaf
	for i := range depth {
		at = map[string]any{"a": at}
		if i%1000 == 0 {
			at.(map[string]any)["b"] = leaf
		}
	}
	u := &unstructuredv1.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Nest", "spec": at}}
	u.SetName("a")
	u.SetResourceVersion(leaf)
	return u
}

// TestADeepObject compares objects as deep as JSON may be. What that takes grows with the depth, and not with its square.
func TestADeepObject(t *testing.T) {
	const depth = 9900
	took := map[int]uint64{}
	for _, n := range []int{depth / 4, depth} {
		d := New(nested(n, "1"), nested(n, "2"), nil)
		var paths []string
		took[n] = allocated(func() { paths = slices.Collect(d.Paths()) })
		if d.Err() != nil || len(paths) != 1+(n+999)/1000 {
			t.Fatalf("%d deep there are %d paths: %v %.300q", n, len(paths), d.Err(), paths)
		}
		for i := range n {
			if i%1000 == 0 && !slices.Contains(paths, "spec"+strings.Repeat(".a", n-i-1)+".b") {
				t.Errorf("%d deep there is no path for what is %d above the deepest", n, i)
			}
		}
		if !slices.Contains(paths, "spec"+strings.Repeat(".a", n)) {
			t.Errorf("%d deep there is no path for the deepest", n)
		}
	}
	if took[depth] > 8*took[depth/4] {
		t.Errorf("an object that is four times as deep takes %d bytes, and not %d", took[depth], took[depth/4])
	}
}
