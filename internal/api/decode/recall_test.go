package decode_test

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// common is a Pod with a part of each sort that is remembered by its bytes.
func common() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app.example.com/name": "web", "app.example.com/part": "front"}},
		Spec: corev1.PodSpec{
			Tolerations: []corev1.Toleration{
				{Key: "node.kubernetes.io/not-ready", Operator: corev1.TolerationOpExists},
				{Key: "node.kubernetes.io/unreachable", Operator: corev1.TolerationOpExists},
			},
			SecurityContext: &corev1.PodSecurityContext{
				SupplementalGroups: []int64{1, 2, 3}, Sysctls: []corev1.Sysctl{{Name: "net.core.somaxconn", Value: "1024"}},
			},
			Overhead: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse("250m"), corev1.ResourceMemory: resource.MustParse("64Mi"), corev1.ResourceStorage: resource.MustParse("3Gi"),
			},
		},
	}
}

// learned returns a subject that has decoded a Pod like itself often.
func learned(t *testing.T, pod *corev1.Pod) (s *subject, like *corev1.Pod) {
	t.Helper()
	s = newSubject(t, pod)
	decoded, _, ok := decodeProto(s, sent(pod), nil)
	for range 5 {
		if !ok {
			t.Fatal("it is refused")
		}
		_, _, ok = decodeProto(s, sent(pod), decoded)
	}
	return s, decoded.(*corev1.Pod)
}

// TestWhatIsRememberedIsLookedAt changes each part that has come often, at its end above all: the old bytes may
// still be its beginning.
func TestWhatIsRememberedIsLookedAt(t *testing.T) {
	for name, change := range map[string]func(*corev1.Pod){
		"nothing":            func(*corev1.Pod) {},
		"one element more":   func(p *corev1.Pod) { p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{Key: "more"}) },
		"one element less":   func(p *corev1.Pod) { p.Spec.Tolerations = p.Spec.Tolerations[:1] },
		"another element":    func(p *corev1.Pod) { p.Spec.Tolerations[1].Operator = corev1.TolerationOpEqual },
		"no list":            func(p *corev1.Pod) { p.Spec.Tolerations = nil },
		"one label more":     func(p *corev1.Pod) { p.Labels["zone"] = "1" },
		"one label less":     func(p *corev1.Pod) { delete(p.Labels, "app.example.com/part") },
		"another label":      func(p *corev1.Pod) { p.Labels["app.example.com/part"] = "rear." },
		"one amount more":    func(p *corev1.Pod) { p.Spec.Overhead["zzz"] = resource.MustParse("1") },
		"one amount less":    func(p *corev1.Pod) { delete(p.Spec.Overhead, corev1.ResourceStorage) },
		"another amount":     func(p *corev1.Pod) { p.Spec.Overhead[corev1.ResourceStorage] = resource.MustParse("4Gi") },
		"more at a pointer":  func(p *corev1.Pod) { p.Spec.SecurityContext.FSGroupChangePolicy = new(corev1.PodFSGroupChangePolicy) },
		"less at a pointer":  func(p *corev1.Pod) { p.Spec.SecurityContext.Sysctls = nil },
		"nothing at a place": func(p *corev1.Pod) { p.Spec.SecurityContext = nil },
	} {
		t.Run(name, func(t *testing.T) {
			pod := common()
			s, like := learned(t, pod)
			before := like.DeepCopy()
			change(pod)
			for range 3 {
				got, _, ok := decodeProto(s, sent(pod), like)
				want, err := judgeProto(s, sent(pod))
				if diff := cmp.Diff(want, got); err != nil || !ok || diff != "" {
					t.Errorf("it is decoded as (-want +got)\n%s(%v, %v)", diff, ok, err)
				}
			}
			if diff := cmp.Diff(before, like); diff != "" {
				t.Errorf("what it is like has changed\n%s", diff)
			}
		})
	}
}

// TestWhatIsRememberedIsShared checks that the parts which come again are those of like.
func TestWhatIsRememberedIsShared(t *testing.T) {
	s, like := learned(t, common())
	again, _, ok := decodeProto(s, sent(common()), like)
	if !ok {
		t.Fatal("it is refused")
	}
	got := again.(*corev1.Pod)
	if &got.Spec.Tolerations[0] != &like.Spec.Tolerations[0] || cap(got.Spec.Tolerations) != 2 || got.Spec.SecurityContext != like.Spec.SecurityContext {
		t.Error("a list or a pointer is not shared, or has room for more")
	}
	like.Labels["seen"], like.Spec.Overhead["seen"] = "through both", resource.MustParse("1")
	if !maps.Equal(got.Labels, like.Labels) || len(got.Spec.Overhead) != len(like.Spec.Overhead) {
		t.Error("a map is not shared")
	}
}

// TestPartsAtOnePlaceAreTold has two lists begin at one place, and only one is remembered.
func TestPartsAtOnePlaceAreTold(t *testing.T) {
	s, like := learned(t, common())
	shorter := like.DeepCopy()
	shorter.Spec.Tolerations = like.Spec.Tolerations[:1:1]
	got, _, ok := decodeProto(s, sent(common()), shorter)
	if !ok || len(got.(*corev1.Pod).Spec.Tolerations) != 2 {
		t.Errorf("it is decoded as %+v", got)
	}
}
