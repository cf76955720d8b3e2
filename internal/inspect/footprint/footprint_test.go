package footprint

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
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

// pod is as large as those of real clusters.
func pod() *corev1.Pod {
	p := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop", Name: "web-5d4f6c9b7-x2lqp", UID: "0b1f6a52-6d6e-4a0c-9d6a-3a3f1f6c7b11", ResourceVersion: "1234567",
			Labels:      map[string]string{"app": "web", "tier": "front", "pod-template-hash": "5d4f6c9b7"},
			Annotations: map[string]string{"example.com/checksum": strings.Repeat("0af3", 16)},
		},
		Spec: corev1.PodSpec{NodeName: "node-17.example.com", ServiceAccountName: "default", Volumes: []corev1.Volume{
			{Name: "kube-api-access-abcde", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"}}}},
		}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, PodIP: "10.244.3.17", HostIP: "192.168.12.4"},
	}
	for i := range 3 {
		p.ManagedFields = append(p.ManagedFields, metav1.ManagedFieldsEntry{
			Manager: fmt.Sprint("manager-", i), Operation: "Update", APIVersion: "v1", FieldsType: "FieldsV1",
			FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{` + strings.Repeat(`"f:image":{},`, 40*i) + `"f:name":{}}}}`),
		})
	}
	for i := range 3 {
		p.Spec.Containers = append(p.Spec.Containers, corev1.Container{
			Name: fmt.Sprint("container-", i), Image: "registry.example.com/shop/web:1.2.3",
			Env: []corev1.EnvVar{{Name: "LOG_LEVEL", Value: "information"}, {Name: "HOME", Value: "/root"}},
			Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
				"cpu": resource.MustParse("500m"), "memory": resource.MustParse("128Mi"),
			}},
		})
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady, Status: "True", Message: "all is well with it"})
	}
	return p
}

// mesh has a message of protobuf in it, as some custom resources do. A message leads to what describes all others.
type mesh struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              *structpb.Struct `json:"spec"`
}

func TestWhatAllMessagesOfProtobufShareDoesNotCount(t *testing.T) {
	o := &mesh{Spec: &structpb.Struct{}}
	if err := protojson.Unmarshal([]byte(`{"a":"b"}`), o.Spec); err != nil {
		t.Fatal(err)
	}
	n := Of(o)
	if n > 2000 {
		t.Errorf("an object with a message of one field takes %d bytes", n)
	}
	if _, sum := byPath(o); sum != n {
		t.Errorf("the parts are %d bytes, and all of it is %d", sum, n)
	}
}

// indexed remembers something in a map that it does not export, as what decodes itself may.
type indexed struct {
	Name  string `json:"name"`
	index map[string]int
}

func TestAMapThatATypeKeepsForItselfIsNotRead(t *testing.T) {
	o := &indexed{index: map[string]int{"a": 1}}
	n := Of(o)
	if want := scanned(int64(unsafe.Sizeof(*o))); n != want {
		t.Errorf("it takes %d bytes, want %d", n, want)
	}
	if _, sum := byPath(o); sum != n {
		t.Errorf("the parts are %d bytes, and all of it is %d", sum, n)
	}
}

// A Quantity writes another form of its number into itself when it is compared. The race detector sees whether it is
// measured meanwhile.
func TestAQuantityIsMeasuredWhileItIsRead(t *testing.T) {
	q := resource.NewQuantity(1500, resource.DecimalSI)
	o := &autoscalingv2.HorizontalPodAutoscaler{Spec: autoscalingv2.HorizontalPodAutoscalerSpec{Metrics: []autoscalingv2.MetricSpec{{
		Type: autoscalingv2.PodsMetricSourceType, Pods: &autoscalingv2.PodsMetricSource{Target: autoscalingv2.MetricTarget{AverageValue: q}},
	}}}}
	var reader sync.WaitGroup
	reader.Go(func() { _ = q.Cmp(resource.MustParse("0.0000000000000000001")) + len(q.String()) })
	n := Of(o)
	reader.Wait()
	if again := Of(o); n != again {
		t.Errorf("it takes %d bytes, and %d when it has been read", n, again)
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
