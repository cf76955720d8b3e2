package endtoend

import (
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestBothSidesSeeEverything plays a small scenario. The client fails if its cache lacks the last version of
// an object.
func TestBothSidesSeeEverything(t *testing.T) {
	for _, form := range forms {
		t.Run(ours+"/"+form, func(t *testing.T) { seeEverything(t, ours, form) })
	}
	t.Run(incumbent+"/"+typedJSON, func(t *testing.T) { seeEverything(t, incumbent, typedJSON) })
	t.Run("streamed and compressed", func(t *testing.T) {
		t.Parallel()
		if _, err := play(t, scenario{Side: ours, Form: typedJSON, Objects: 60, Events: 200, Relists: 1, Strip: true, Default: true}); err != nil {
			t.Fatal(err)
		}
	})
}

// seeEverything plays all that a scenario may have.
func seeEverything(t *testing.T, side, form string) {
	t.Helper()
	t.Parallel() // most of the time is client-go's pause before a relist
	found, err := play(t, scenario{Side: side, Form: form, Objects: 60, Events: 200, Relists: 1, Replays: 1})
	must(t, err)
	if found.ListCPU <= 0 || found.EventsCPU <= 0 || found.RelistCPU <= 0 || found.ReplayCPU <= 0 || found.Heap <= found.BaseHeap {
		t.Errorf("the figures are %+v", found)
	}
}

// TestMissedEventsFail has a server that claims a version which it has not sent.
func TestMissedEventsFail(t *testing.T) {
	_, err := play(t, scenario{Side: ours, Form: typedJSON, Objects: 10, Lies: true})
	if err == nil || !strings.Contains(err.Error(), "served in 9") {
		t.Errorf("the error is %v", err)
	}
}

func TestCompare(t *testing.T) {
	served := map[string]string{"a": "1", "b": "2"}
	at := func(version string) client.Object {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{ResourceVersion: version}}
	}
	for name, cached := range map[string]map[string]client.Object{
		"nothing is cached":      {},
		"one is old":             {"a": at("1"), "b": at("1")},
		"one is missing":         {"a": at("1")},
		"one is there no longer": {"a": at("1"), "b": at("2"), "c": at("3")},
	} {
		if compare(cached, served) == nil {
			t.Errorf("%s, and nobody notices", name)
		}
	}
	if err := compare(map[string]client.Object{"b": at("2"), "a": at("1")}, served); err != nil {
		t.Error(err)
	}
}

// TestOtherContentIsNotTheSame checks that the check looks at more than versions.
func TestOtherContentIsNotTheSame(t *testing.T) {
	obj := scenario{Form: untyped, Objects: 1}.collection().Objects[0].(client.Object)
	other := obj.DeepCopyObject().(client.Object)
	if err := same(obj, other); err != nil {
		t.Error(err)
	}
	other.SetLabels(nil)
	if same(obj, other) == nil {
		t.Error("an object without its labels is the same")
	}
}

// TestTallyWaitsForEverything checks that what is delivered must be reconciled, and what was
// delivered since, again.
func TestTallyWaitsForEverything(t *testing.T) {
	a, b := types.NamespacedName{Name: "a"}, types.NamespacedName{Name: "b"}
	counted := newTally()
	done := counted.wait(func() bool { return counted.delivered >= 3 })
	over := func() bool {
		select {
		case <-done:
			return true
		default:
			return false
		}
	}
	counted.deliver(a, "1")
	counted.reconciled(a)
	counted.deliver(a, "2")
	counted.deliver(b, "3")
	counted.reconciled(b)
	if over() {
		t.Error("a is not reconciled since version 2")
	}
	counted.reconciled(a)
	if !over() {
		t.Errorf("everything is done: %s", counted)
	}
}

// TestChangesAreSmall checks that an event is a heartbeat: it changes one thing, and when that
// was.
func TestChangesAreSmall(t *testing.T) {
	c := scenario{Form: typedJSON, Objects: 50, Events: 100, Relists: 1}.collection()
	n := 0
	for i, obj := range c.Changes {
		before, after := describe(t, c.Objects[i]), describe(t, obj)
		changed := 0
		for at := range min(len(before), len(after)) {
			if before[at] != after[at] {
				changed++
			}
		}
		if len(before) != len(after) || changed != 3 {
			t.Fatalf("change %d of %s has %d other lines of %d", n, obj.GetName(), changed, len(after))
		}
		c.Objects[i] = obj
		n++
	}
	if n != 101 {
		t.Errorf("there are %d changes", n)
	}
}

// describe has a line for each value of an object.
func describe(t *testing.T, obj any) []string {
	t.Helper()
	text, err := json.MarshalIndent(obj, "", " ")
	must(t, err)
	return strings.Split(string(text), "\n")
}

// TestSmallObjectsAreOfTwoKilobytes looks at what they are called.
func TestSmallObjectsAreOfTwoKilobytes(t *testing.T) {
	for _, form := range []string{typedJSON, untyped} {
		objects, size := scenario{Form: form, Objects: 500, Small: true}.collection().Objects, 0
		for _, obj := range objects {
			text, err := json.Marshal(obj)
			must(t, err)
			size += len(text)
		}
		if each := size / len(objects); each < 1900 || each > 2200 {
			t.Errorf("%s: an object has %d bytes", form, each)
		}
	}
}
