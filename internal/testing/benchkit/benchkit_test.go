package benchkit_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
)

// The benchmark results of this project are for Pods of these sizes.
func TestPodsHaveTheQuotedSize(t *testing.T) {
	var full, stripped, protobuf int
	pods := benchkit.Pods(200)
	for _, pod := range pods {
		full += jsonSize(t, pod)
		protobuf += pod.Size()
		bare := pod.DeepCopy()
		bare.ManagedFields = nil
		stripped += jsonSize(t, bare)
	}
	for _, tt := range []struct {
		name      string
		got, want int
	}{
		{"JSON", full / len(pods), 8500},
		{"JSON without managedFields", stripped / len(pods), 6000},
		{"protobuf", protobuf / len(pods), 5600},
	} {
		if difference := tt.got - tt.want; difference < -tt.want/20 || difference > tt.want/20 {
			t.Errorf("%s: a Pod takes %d bytes, want %d give or take 5 %%", tt.name, tt.got, tt.want)
		}
	}
}

func jsonSize(t *testing.T, pod *corev1.Pod) int {
	t.Helper()
	text, err := json.Marshal(pod)
	if err != nil {
		t.Fatal(err)
	}
	return len(text)
}

func TestPodsAreDistinctAndSpread(t *testing.T) {
	const n = 20_000
	pods := benchkit.Pods(n)
	names, uids := map[string]bool{}, map[string]bool{}
	inNamespace, ofOwner := map[string]int{}, map[string]int{}
	for i, pod := range pods {
		names[pod.Namespace+"/"+pod.Name] = true
		uids[string(pod.UID)] = true
		inNamespace[pod.Namespace]++
		ofOwner[pod.Labels[benchkit.LabelOwner]]++
		if pod.Namespace != benchkit.NamespaceOf(i) || pod.Labels[benchkit.LabelOwner] != benchkit.OwnerOf(i) {
			t.Fatalf("Pod %d is in %s of %s, not where NamespaceOf and OwnerOf say", i, pod.Namespace, pod.Labels[benchkit.LabelOwner])
		}
		if len(pod.Labels) != 6 || len(pod.Spec.Containers) != 2 || len(pod.ManagedFields) != 2 {
			t.Fatalf("Pod %d has %d labels, %d containers, %d managers", i, len(pod.Labels), len(pod.Spec.Containers), len(pod.ManagedFields))
		}
	}
	if len(names) != n || len(uids) != n {
		t.Errorf("%d Pods have %d names and %d UIDs", n, len(names), len(uids))
	}
	if len(inNamespace) != benchkit.Namespaces || len(ofOwner) != n/benchkit.PodsPerOwner {
		t.Errorf("%d namespaces and %d owners, want %d and %d", len(inNamespace), len(ofOwner), benchkit.Namespaces, n/benchkit.PodsPerOwner)
	}
	for namespace, count := range inNamespace {
		if count != n/benchkit.Namespaces {
			t.Errorf("namespace %s has %d Pods, want %d", namespace, count, n/benchkit.Namespaces)
		}
	}
}

func TestPodsAreTheSameEveryTime(t *testing.T) {
	few, many := benchkit.Pods(120), benchkit.Pods(300)
	for i, pod := range few {
		if !reflect.DeepEqual(pod, many[i]) {
			t.Fatalf("Pod %d depends on how many were made", i)
		}
	}
}

func TestChangedLeavesTheOriginalAlone(t *testing.T) {
	pod := benchkit.Pods(1)[0]
	before := pod.DeepCopy()
	next := benchkit.Changed(pod, benchkit.VersionAfter(1, 0))
	if !reflect.DeepEqual(pod, before) {
		t.Error("Changed wrote to its argument")
	}
	if next.ResourceVersion <= pod.ResourceVersion || next.UID != pod.UID {
		t.Errorf("changed Pod is %s at %s, want %s after %s", next.UID, next.ResourceVersion, pod.UID, pod.ResourceVersion)
	}
}

func TestCPUCountsOnlyBetweenStartAndStop(t *testing.T) {
	meter := benchkit.StartCPU()
	meter.Stop()
	idle := meter.Spent()
	work := func() time.Duration {
		all := benchkit.StartCPU()
		for i := 0; all.Spent() < 20*time.Millisecond; i++ {
			all.Stop()
			all.Start()
		}
		return all.Spent()
	}
	work()
	if meter.Spent() != idle {
		t.Errorf("a stopped meter went from %v to %v", idle, meter.Spent())
	}
	meter.Start()
	worked := work()
	meter.Stop()
	if counted := meter.Spent() - idle; counted < worked {
		t.Errorf("%v of work was counted as %v", worked, counted)
	}
}
