package decode_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/delta-runtime/delta-runtime/internal/decode"
)

func Example() {
	pods, err := decode.TypeOf(&corev1.Pod{})
	if err != nil {
		fmt.Println("others have to decode it:", err)
		return
	}
	decoder := pods.NewDecoder()
	first, _, _ := decoder.JSON([]byte(`{"metadata":{"name":"a","labels":{"app":"web"}},"spec":{"nodeName":"one"}}`), nil)
	stream := []byte(`{"metadata":{"name":"b","labels":{"app":"web"}},"spec":{"nodeName":"two"}} and so on`)
	second, end, ok := decoder.JSON(stream, first)
	if !ok {
		fmt.Println("others have to decode it")
		return
	}
	a, b := first.(*corev1.Pod), second.(*corev1.Pod)
	fmt.Println(b.Name, b.Labels, b.Spec.NodeName)
	a.Labels["app"] = "nobody should do that"
	fmt.Println("the labels are those of the first:", b.Labels)
	fmt.Printf("what is left:%s\n", stream[end:])

	_, _, ok = decoder.JSON([]byte(`{"metadata":{"name":"a","name":"b"}}`), nil)
	fmt.Println("a name that comes twice:", ok)
	// Output:
	// b map[app:web] two
	// the labels are those of the first: map[app:nobody should do that]
	// what is left: and so on
	// a name that comes twice: false
}
