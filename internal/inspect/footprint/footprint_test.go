package footprint

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/delta-runtime/delta-runtime/internal/testing/samples"
)

func byPath(v any) (parts map[string]int64, sum int64) {
	parts = map[string]int64{}
	ByPath(v, func(path string, bytes int64) {
		parts[path] += bytes
		sum += bytes
	})
	return parts, sum
}

func TestPartsAddUp(t *testing.T) {
	var none *corev1.Pod
	for name, v := range map[string]any{
		"pod": pod(), "deployment": samples.Web(), "empty": &corev1.Pod{}, "nil": nil, "nil pod": none, "text": "some text",
		"unstructured": &unstructured.Unstructured{Object: samples.Tree(pod())}, "content": samples.Tree(pod()),
		"metadata": &metav1.PartialObjectMetadata{ObjectMeta: pod().ObjectMeta}, "list": []any{"a", int64(1000)},
		"no content": &unstructured.Unstructured{},
	} {
		if _, sum := byPath(v); sum != Of(v) {
			t.Errorf("%s: the parts are %d bytes, and all of it is %d", name, sum, Of(v))
		}
	}
}

func TestPathsAreOfFields(t *testing.T) {
	for name, v := range map[string]any{"typed": pod(), "unstructured": &unstructured.Unstructured{Object: samples.Tree(pod())}} {
		parts, _ := byPath(v)
		for _, path := range []string{"spec.containers", "metadata.managedFields", "metadata.annotations", "status.conditions", "kind"} {
			if parts[path] == 0 {
				t.Errorf("%s: nothing is at %s, only at %q", name, path, slices.Sorted(maps.Keys(parts)))
			}
		}
		for path := range parts {
			if strings.Contains(path, "example.com") || strings.Count(path, ".") >= depth {
				t.Errorf("%s: %s is a path", name, path)
			}
		}
	}
	parts, _ := byPath(samples.Web())
	if parts["spec.template.spec"] == 0 || parts["metadata.labels"] == 0 {
		t.Errorf("the parts of a Deployment are %v", parts)
	}
	parts, _ = byPath(&unstructured.Unstructured{Object: samples.Tree(&corev1.Secret{Data: map[string][]byte{"password": []byte("x")}})})
	if parts["data"] == 0 || parts["data.password"] != 0 {
		t.Errorf("the parts of a Secret are %v", parts)
	}
}

func TestWhatIsSharedCountsOnce(t *testing.T) {
	large := make([]byte, 10_000)
	one, two := Of(&[][]byte{large}), Of(&[][]byte{large, large})
	if two > one+100 {
		t.Errorf("once it is %d bytes, twice %d", one, two)
	}
	if room := make([]byte, 1, 10_000); Of(&room) < 10_000 {
		t.Errorf("a slice with room for 10,000 bytes takes %d", Of(&room))
	}
}

// node leads to others in all the ways that there are.
type node struct {
	Next  *node          `json:"next"`
	Some  []*node        `json:"some"`
	Named map[int]*node  `json:"named"`
	Any   any            `json:"any"`
	Tree  map[string]any `json:"tree"`
	List  []any          `json:"list"`
}

func FuzzCycles(f *testing.F) {
	f.Add(uint64(1), uint8(3))
	f.Add(uint64(7), uint8(40))
	f.Fuzz(func(t *testing.T, seed uint64, count uint8) {
		rng := rand.New(rand.NewPCG(seed, 0))
		nodes := make([]*node, int(count)+1)
		for i := range nodes {
			nodes[i] = &node{Named: map[int]*node{}, Tree: map[string]any{}, List: make([]any, 2)}
		}
		for _, n := range nodes {
			other := func() *node { return nodes[rng.IntN(len(nodes))] }
			n.Next, n.Some = other(), []*node{other(), other()}
			n.Named[1], n.Any, n.Tree["a"], n.Tree["b"] = other(), other(), other().Tree, other().List
			n.List[0], n.List[1] = n.List, other().Tree
		}
		once := Of(nodes)
		if _, sum := byPath(nodes[0]); once < int64(len(nodes)*100) || once > int64(len(nodes)*2000) || sum > once {
			t.Errorf("%d nodes take %d bytes, and one of them with all that it leads to %d", len(nodes), once, sum)
		}
	})
}

func TestALongChainEnds(t *testing.T) {
	var first *node
	for range 1_000_000 {
		first = &node{Next: first}
	}
	if got := Of(first); got < deepest*64 || got > 2*deepest*200 {
		t.Errorf("a chain takes %d bytes as far as it is followed", got)
	}
}
