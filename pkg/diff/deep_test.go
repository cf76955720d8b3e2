package diff

import (
	"slices"
	"strings"
	"testing"

	unstructuredv1 "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

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
