package decode

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestNothingLargeIsKept decodes something large once, after which all memory that is used again is small.
func TestNothingLargeIsKept(t *testing.T) {
	var members []string
	for i := range 10_000 {
		members = append(members, fmt.Sprintf(`"example.com/%d":"1\u0031"`, i))
	}
	object := "{" + strings.Join(members, ",") + "}"
	list := "[" + strings.Repeat(`"x\u0031",`, 10_000) + `"` + strings.Repeat(`\n`, 100_000) + `"]`
	amounts := strings.ReplaceAll(object, `\u003`, "")
	for name, tt := range map[string]struct {
		example any
		text    string
	}{
		"unstructured": {&unstructured.Unstructured{}, `{"a":` + object + `,"b":` + list + `}`},
		"typed":        {&corev1.Pod{}, `{"metadata":{"finalizers":` + list + `,"labels":` + object + `},"spec":{"overhead":` + amounts + `}}`},
	} {
		t.Run(name, func(t *testing.T) {
			codec, err := TypeOf(tt.example)
			if err != nil {
				t.Fatal(err)
			}
			d := codec.NewDecoder()
			obj, _, ok := d.JSON([]byte(tt.text), nil)
			if !ok {
				t.Fatal("it is refused")
			}
			if pod, is := obj.(*corev1.Pod); is {
				message, err := pod.Marshal()
				if err != nil {
					t.Fatal(err)
				}
				d.amountsRead = nil
				if _, ok := d.Proto(message, nil); !ok {
					t.Fatal("the message is refused")
				}
			}
			for what, n := range map[string]int{
				"pairs": cap(d.pairs), "values": cap(d.values), "amounts": cap(d.amountsRead), "scratch": cap(d.scratch), "names": len(d.names),
			} {
				if n > maxSpare || n > 4096 && what != "scratch" {
					t.Errorf("%d %s are kept", n, what)
				}
			}
			for _, s := range d.spares {
				if s.many != nil && s.many.cap > 4096 {
					t.Errorf("a list of %d is kept", s.many.cap)
				}
			}
			if len(d.data) > 0 {
				t.Error("the bytes are kept")
			}
		})
	}
}
