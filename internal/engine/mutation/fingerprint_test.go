package mutation

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Many parts may have changed. The informer waits while they are named, and a log has no room for all.
func TestManyChangedParts(t *testing.T) {
	o := &corev1.ConfigMap{Data: map[string]string{}}
	for i := range 90_000 {
		o.Data[fmt.Sprint("key-", 100_000+i)] = "a"
	}
	print := takeFingerprint(o)
	for key := range o.Data {
		o.Data[key] = "b"
	}
	o.Name = "b"
	soon(t, "naming what has changed", func() {
		if got := print.changedPaths(o); len(got) != mostPaths || got[0] != `Data["key-100000"]` || got[1] != `Data["key-100001"]` {
			t.Errorf("%d parts are named, such as %q", len(got), got[:min(len(got), 3)])
		}
	})
}

// A Quantity writes down its text, or another form of its number, when it is read.
func TestReadingAQuantityIsNoMutation(t *testing.T) {
	pod := somePod("a")
	pod.Spec.Volumes = []corev1.Volume{{VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: new(resource.MustParse("1500Mi"))}}}}
	print := takeFingerprint(pod)
	limit := pod.Spec.Volumes[0].EmptyDir.SizeLimit
	_ = limit.Cmp(resource.MustParse("0.0000000000000000001")) // which writes another form of the number
	_ = limit.String() + limit.AsDec().String()
	if !print.matches(pod) {
		t.Errorf("a false alarm: %q", print.changedPaths(pod))
	}
	pod.Spec.Containers[0].Resources.Requests["cpu"] = resource.MustParse("200m")
	if print.matches(pod) {
		t.Error("another quantity in a map is not seen")
	}
}
