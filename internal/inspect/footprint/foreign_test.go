package footprint

import (
	"sync"
	"testing"
	"unsafe"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

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
