package schemas_test

import (
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/delta-runtime/delta-runtime/internal/schema/schemas"
	"github.com/delta-runtime/delta-runtime/internal/testing/fulltypes"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

// cost is what something takes of the heap, in bytes.
type cost struct {
	lives int // afterwards, when all garbage is collected
	peak  int // at any time meanwhile, with garbage
}

// costOf calls f and measures. What f returns lives afterwards.
func costOf(f func() any) cost {
	runtime.GC()
	runtime.GC() // the second run frees the memory that finalizers held
	before := heap()
	var peak atomic.Int64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for tick := time.NewTicker(50 * time.Microsecond); ; {
			peak.Store(max(peak.Load(), int64(heap())))
			select {
			case <-stop:
				tick.Stop()
				return
			case <-tick.C:
			}
		}
	}()
	lives := f()
	highest := heap()
	close(stop)
	<-stopped
	runtime.GC()
	runtime.GC()
	after := heap()
	runtime.KeepAlive(lives)
	return cost{lives: after - before, peak: max(int(peak.Load()), highest) - before}
}

// heap is the bytes of all objects that have not been swept yet.
func heap() int {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64())
}

// change is a question about two objects.
type change struct {
	before, after delta.Object
	path          string
}

func (c change) touched(by diff.Schemas) bool { return diff.New(c.before, c.after, by).Touches(c.path) }

// changes are of a Pod, of what runs Pods, and of a CRD.
func changes() map[string]change {
	definition := func(scope string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "a"},
			"spec": map[string]any{"scope": scope},
		}}
	}
	meta := metav1.ObjectMeta{Name: "a"}
	pods, deployments := metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"}
	return map[string]change{
		"Pod": {
			&corev1.Pod{TypeMeta: pods, ObjectMeta: meta},
			&corev1.Pod{TypeMeta: pods, ObjectMeta: meta, Spec: corev1.PodSpec{NodeName: "n"}}, "spec.nodeName",
		},
		"Deployment": {
			&appsv1.Deployment{TypeMeta: deployments, ObjectMeta: meta},
			&appsv1.Deployment{TypeMeta: deployments, ObjectMeta: meta, Spec: appsv1.DeploymentSpec{Paused: true}}, "spec.paused",
		},
		"CustomResourceDefinition": {definition("Cluster"), definition("Namespaced"), "spec.scope"},
	}
}

// BenchmarkFirstTouches makes the types of a kind from nothing, and asks one question. The incumbents are
// client-go's converter for the whole document of a group and version, and the types that client-go has
// itself. These it makes once in a process, so only their memory is measured, and their time with -benchtime=1x.
func BenchmarkFirstTouches(b *testing.B) {
	s := realServer(b)
	known, asked := gardenScheme(b), changes()
	run := func(name string, first func(*testing.B) any) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			c := costOf(func() any { return first(b) })
			for b.Loop() {
				first(b)
			}
			b.ReportMetric(float64(c.lives)/(1<<10), "live-KB")
			b.ReportMetric(float64(c.peak)/(1<<10), "peak-KB")
		})
	}
	touched := func(b *testing.B, kind string, by diff.Schemas) any {
		if !asked[kind].touched(by) {
			b.Error("it is not touched")
		}
		return by
	}
	run("kind=Pod/incumbent-client-go", func(b *testing.B) any { return touched(b, "Pod", clientGoTypes()) })
	for kind, at := range map[string]string{"Pod": "/api/v1", "Deployment": "/apis/apps/v1", "CustomResourceDefinition": "/apis/apiextensions.k8s.io/v1"} {
		run("kind="+kind+"/delta", func(b *testing.B) any {
			all, err := schemas.New(s.config, s.client, known)
			must(b, err)
			return touched(b, kind, all)
		})
		run("kind="+kind+"/incumbent-document", func(b *testing.B) any {
			whole, err := fulltypes.Read([]byte(s.get(b, "/openapi/v3"+at)))
			must(b, err)
			return touched(b, kind, whole)
		})
	}
}
