package mutation

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

func somePod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "default", ResourceVersion: "7", Labels: map[string]string{"app": "web", "tier": "front"},
			CreationTimestamp: metav1.Now(),
		},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{
				Name: "main", Image: "web:1", Env: []corev1.EnvVar{{Name: "A", Value: "b"}},
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("100m")}},
			}},
			NodeSelector: map[string]string{"disk": "ssd"},
		},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: "Ready", Status: "True"}}},
	}
}

// stored is what a Detector observes when an object is stored.
func stored[T any](key string, object T) *delta.Delta[T] {
	return &delta.Delta[T]{Key: delta.Key{Name: key}, Op: delta.Added, New: object}
}

// removed is what it observes when an object is removed.
func removed[T any](key string) *delta.Delta[T] {
	return &delta.Delta[T]{Key: delta.Key{Name: key}, Op: delta.Deleted}
}

// into appends what is reported to found.
func into(found *[]informer.Mutation) func(informer.Mutation) {
	return func(m informer.Mutation) { *found = append(*found, m) }
}

func podVersion(p *corev1.Pod) string { return p.ResourceVersion }

func TestMutationIsFoundAndNamed(t *testing.T) {
	mutations := map[string]struct {
		change func(*corev1.Pod)
		paths  []string
	}{
		"a label changed":   {func(p *corev1.Pod) { p.Labels["app"] = "shop" }, []string{`ObjectMeta.Labels["app"]`}},
		"a label added":     {func(p *corev1.Pod) { p.Labels["new"] = "x" }, []string{`ObjectMeta.Labels["new"]`}},
		"a label removed":   {func(p *corev1.Pod) { delete(p.Labels, "app") }, []string{"ObjectMeta.Labels"}},
		"two parts":         {func(p *corev1.Pod) { p.Status.Phase = "Failed"; p.Spec.NodeName = "n1" }, []string{"Spec.NodeName", "Status.Phase"}},
		"deep in a list":    {func(p *corev1.Pod) { p.Spec.Containers[0].Env[0].Value = "c" }, []string{"Spec.Containers[0]"}},
		"a list cut":        {func(p *corev1.Pod) { p.Status.Conditions = nil }, []string{"Status.Conditions"}},
		"a pointer set":     {func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{} }, []string{"ObjectMeta.DeletionTimestamp.Time"}},
		"a time moved":      {func(p *corev1.Pod) { p.CreationTimestamp = metav1.Unix(1, 0) }, []string{"ObjectMeta.CreationTimestamp.Time"}},
		"a list grown":      {func(p *corev1.Pod) { p.Finalizers = []string{"a"} }, []string{"ObjectMeta.Finalizers[0]"}},
		"a quantity":        {func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Requests["cpu"] = resource.MustParse("2") }, []string{"Spec.Containers[0]"}},
		"nothing (control)": {func(*corev1.Pod) {}, nil},
	}
	for name, test := range mutations {
		t.Run(name, func(t *testing.T) {
			var got []informer.Mutation
			m := New(Options{}, podVersion, into(&got))
			pod := somePod("web-0")
			m.Observe(stored("web-0", pod))
			m.Observe(stored("web-1", somePod("web-1")))
			test.change(pod)
			m.LookAtAll()
			m.LookAtAll() // told once
			if len(test.paths) == 0 {
				if len(got) != 0 {
					t.Errorf("a false alarm: %v", got)
				}
				return
			}
			if len(got) != 1 || got[0].Key.Name != "web-0" || got[0].Version != "7" || !slices.Equal(got[0].Paths, test.paths) {
				t.Errorf("found %+v, want web-0 of version 7 with %v", got, test.paths)
			}
		})
	}
}

// Whatever kind a part is of, its change shows.
func TestFingerprintSeesEveryKind(t *testing.T) {
	type inner struct{ a, b int }
	type kinds struct {
		Flag    bool
		Int     int8
		Uint    uint16
		Float   float32
		Complex complex64
		Text    string
		Bytes   []byte
		Array   [2]int
		Keyed   map[inner]string
		Any     any
		Pointer *int
		Self    *kinds
		hidden  int // what its package keeps for itself
	}
	one, two := 1, 2
	changes := map[string]func(*kinds){
		"Flag":           func(k *kinds) { k.Flag = true },
		"Int":            func(k *kinds) { k.Int++ },
		"Uint":           func(k *kinds) { k.Uint++ },
		"Float":          func(k *kinds) { k.Float = 0.5 },
		"Complex":        func(k *kinds) { k.Complex = 1i },
		"Text":           func(k *kinds) { k.Text = "x" },
		"Bytes":          func(k *kinds) { k.Bytes[1] = 9 },
		"Array[1]":       func(k *kinds) { k.Array[1] = 1 },
		`Keyed["{1 2}"]`: func(k *kinds) { k.Keyed[inner{1, 2}] = "x" },
		"Any":            func(k *kinds) { k.Any = "2" },
		"Pointer":        func(k *kinds) { k.Pointer = &two },
	}
	for path, change := range changes {
		k := &kinds{Bytes: []byte{1, 2}, Keyed: map[inner]string{{1, 2}: "a"}, Any: 2, Pointer: &one}
		k.Self = k // a cycle is not followed for ever
		print := takeFingerprint(k)
		if !print.matches(k) {
			t.Errorf("%s: a false alarm", path)
		}
		if change(k); print.matches(k) {
			t.Errorf("a change of %s was not seen", path)
		}
		if got := print.changedPaths(k); !slices.Contains(got, path) {
			t.Errorf("a change of %s was called %v", path, got)
		}
		print = takeFingerprint(k)
		if k.hidden++; !print.matches(k) {
			t.Errorf("%s: what its package keeps for itself was read", path)
		}
	}
}

// What readers do to objects they share must not raise an alarm.
func TestReadingIsNoMutation(t *testing.T) {
	m := New(Options{}, podVersion, func(found informer.Mutation) { t.Errorf("a false alarm: %s %q", found.Key, found.Paths) })
	var pods []*corev1.Pod
	for i := range 50 {
		pods = append(pods, somePod(fmt.Sprint(i)))
		m.Observe(stored(fmt.Sprint(i), pods[i]))
	}
	for _, pod := range pods {
		if _, err := json.Marshal(pod); err != nil {
			t.Fatal(err)
		}
		if _, err := pod.Marshal(); err != nil {
			t.Fatal(err)
		}
		_ = pod.String()
		cpu := pod.Spec.Containers[0].Resources.Requests["cpu"]
		_ = cpu.String() + cpu.AsDec().String()
		_ = pod.CreationTimestamp.Local().String()
		if !reflect.DeepEqual(pod.DeepCopy(), pod) {
			t.Error("a copy differs")
		}
	}
	m.LookAtAll()
}

// Replaced and deleted objects stay watched for a while: handlers have them.
func TestReplacedObjectsAreWatched(t *testing.T) {
	var got []string
	m := New(Options{}, podVersion, func(m informer.Mutation) { got = append(got, fmt.Sprint(m.Key.Name, m.Paths)) })
	first, second := somePod("a"), somePod("a")
	m.Observe(stored("a", first))
	m.Observe(stored("a", second))
	m.Observe(removed[*corev1.Pod]("a"))
	first.Spec.NodeName, second.Status.Reason = "x", "y"
	m.LookAtAll()
	slices.Sort(got)
	if want := []string{"a[Spec.NodeName]", "a[Status.Reason]"}; !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

// part is an object with a part that changes.
type part struct {
	Name  string
	State int
}

// However many objects come and go, only so many are watched, all of them are
// watched while they are few enough, and nothing that did not change is reported.
func TestMutationDetectorIsBounded(t *testing.T) {
	seeds.Run(t, 100, func(t *testing.T, rng *rand.Rand) {
		found := map[string]bool{}
		opts := Options{Objects: 1 + rng.IntN(20)}
		m := New(opts, func(*part) string { return "" }, func(m informer.Mutation) { found[m.Key.Name] = true })
		current := map[string]*part{}
		for state := range 200 {
			name := fmt.Sprint(rng.IntN(15))
			if rng.IntN(3) == 0 {
				delete(current, name)
				m.Observe(removed[*part](name))
				continue
			}
			current[name] = &part{"u", state}
			m.Observe(stored(name, current[name]))
			if len(m.watched) > opts.Objects || len(m.replaced) > max(1, opts.Objects/4) || len(m.places) != len(m.watched) {
				t.Fatalf("%d watched and %d replaced, with at most %d", len(m.watched), len(m.replaced), opts.Objects)
			}
			m.look(rng.IntN(5))
		}
		if len(found) > 0 {
			t.Fatalf("false alarms: %v", found)
		}
		for _, o := range current {
			o.State = -1
		}
		m.LookAtAll()
		for name := range current {
			if _, watched := m.places[delta.Key{Name: name}]; watched && !found[name] {
				t.Errorf("%s is watched: %t, found: %t", name, watched, found[name])
			}
		}
		if opts.Objects >= 15 && len(found) != len(current) {
			t.Errorf("found %d of %d", len(found), len(current))
		}
	})
}

func TestOneLookReadsABatch(t *testing.T) {
	found := 0
	m := New(Options{Batch: 3}, podVersion, func(informer.Mutation) { found++ })
	var pods []*corev1.Pod
	for i := range 9 {
		pods = append(pods, somePod(fmt.Sprint(i)))
		m.Observe(stored(fmt.Sprint(i), pods[i]))
	}
	for _, pod := range pods {
		pod.Spec.NodeName = "x"
	}
	for look := range 3 {
		if m.Look(); found != 3*(look+1) {
			t.Errorf("found %d after %d looks, want batches of 3", found, look+1)
		}
	}
	pods[0].Spec.NodeName = "y"
	if m.LookAtAll(); found != 10 {
		t.Error("what changed last was not looked at in the end")
	}
}

// With a pause a sample is taken note of, however many objects there are.
func TestASampleIsTakenNoteOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var found []string
		m := New(Options{Objects: 2, Batch: 1, Pause: time.Second}, podVersion, func(m informer.Mutation) { found = append(found, m.Key.Name) })
		for second := range 2 {
			m.Observe(&delta.Delta[*corev1.Pod]{Key: delta.Key{Name: "shown"}, Op: delta.Sync, New: somePod("shown")}) // takes nobody's turn
			for i := range 100 {
				pod := somePod(fmt.Sprint(100*second + i))
				m.Observe(stored(pod.Name, pod))
				pod.Spec.NodeName = "x"
			}
			time.Sleep(time.Second)
		}
		m.Look()
		m.Look()
		if slices.Sort(found); !slices.Equal(found, []string{"0", "100"}) {
			t.Errorf("found %q, want one of each second", found)
		}
	})
}
