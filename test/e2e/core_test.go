package e2e

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/internal/testing/realtime"
)

func TestMain(m *testing.M) { realtime.Main(m) }

// seed decides about a run. It is SEED in the environment, or a new one each time.
func seed(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("SEED")
	if text == "" {
		return rand.Uint64N(1_000_000)
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("SEED: %v", err)
	}
	return n
}

func TestInformersKeepUpWithAServerThatHasABadTime(t *testing.T) {
	seed := seed(t)
	t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
		s := newScene(t, rand.New(rand.NewPCG(seed, 0)))
		s.play(t)
		s.settle(t)
		for _, subject := range s.subjects {
			t.Run(subject.kind.name, func(t *testing.T) { s.judge(t, subject) })
		}
	})
}

// scene is a control plane, its informers, and what will happen to them.
type scene struct {
	rng      *rand.Rand
	client   dynamic.Interface
	subjects []*subject
	scripts  []script
	faults   *faults
}

func newScene(t *testing.T, rng *rand.Rand) *scene {
	t.Helper()
	plane := controlplane.ForTest(t, controlplane.Options{})
	config := plane.Config()
	client, err := dynamic.NewForConfigAndClient(config, controlplane.HTTPClientForTest(t, config))
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{rng: rng, client: client}
	s.prepareServer(t)
	for _, k := range []kind{configMaps, widgets} {
		s.subjects = append(s.subjects, newSubject(t, plane, k))
	}
	for i := range writers {
		s.scripts = append(s.scripts, newScript(rng, i, []kind{configMaps, widgets}))
	}
	s.faults = &faults{
		rng: rng, plane: plane, subjects: s.subjects, writer: writer{client: client, owner: "faults"},
	}
	return s
}

// prepareServer makes the namespaces and the kind that the writers need.
func (s *scene) prepareServer(t *testing.T) {
	t.Helper()
	create := func(resource schema.GroupVersionResource, object *unstructured.Unstructured) {
		if _, err := s.client.Resource(resource).Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	create(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
		widgetDefinition.DeepCopy())
	for i := range namespaces {
		namespace := &unstructured.Unstructured{}
		namespace.SetAPIVersion("v1")
		namespace.SetKind("Namespace")
		namespace.SetName(fmt.Sprint("e2e-", i))
		create(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, namespace)
	}
	await.Until(t, "the server to serve Widgets", func() bool {
		_, err := s.client.Resource(widgets.resource).List(t.Context(), metav1.ListOptions{})
		return !apierrors.IsNotFound(err)
	})
}

// play lets the writers write. Meanwhile the faults happen, spread over all steps, and
// listeners come and go.
func (s *scene) play(t *testing.T) {
	t.Helper()
	steps := 0
	for _, script := range s.scripts {
		steps += len(script.steps)
	}
	order := s.faults.order()
	p := &progress{awaits: map[int]chan struct{}{}}
	var writing sync.WaitGroup
	for _, script := range s.scripts {
		writing.Go(func() { s.write(t, script, p) })
	}
	// A part of the objects exists before the informers start, so that their first list is not
	// empty.
	s.await(t, p.reached(steps/10))
	for _, subject := range s.subjects {
		subject.listen(t, "steady", 0, 0)
		subject.listen(t, "slow", 500*time.Microsecond, 0)
		subject.listen(t, "resynced", 0, resyncPeriod)
		subject.listen(t, "leaving", 0, 0)
		subject.run(t)
	}
	for i, fault := range order {
		s.await(t, p.reached(steps/10+(i+1)*steps*8/10/(len(order)+1)))
		t.Logf("%v: fault %d, %s", time.Now().Format("15:04:05.000"), i+1, fault.name)
		fault.do(s.faults, t)
		for _, subject := range s.subjects {
			switch i {
			case len(order) / 3:
				subject.listen(t, "late", 0, 0)
			case len(order) * 2 / 3:
				subject.dismiss(t, "leaving")
			}
		}
	}
	writing.Wait()
	t.Logf("%v: everything is written", time.Now().Format("15:04:05.000"))
}

func (s *scene) write(t *testing.T, script script, p *progress) {
	w := writer{client: s.client, owner: script.owner}
	for _, step := range script.steps {
		if err := w.do(t.Context(), step); err != nil {
			t.Errorf("%s: %v", script.owner, err)
		}
		p.step()
	}
}

func (s *scene) await(t *testing.T, reached <-chan struct{}) {
	t.Helper()
	select {
	case <-reached:
	case <-time.After(5 * time.Minute):
		t.Fatal("the writers hang")
	}
}

// settle waits until all listeners know what the server has.
func (s *scene) settle(t *testing.T) {
	t.Helper()
	for _, subject := range s.subjects {
		last := cache.NewObjectName("e2e-0", "the-last")
		if err := s.faults.writer.do(t.Context(), step{subject.kind, added, last, 1}); err != nil {
			t.Fatal(err)
		}
		want := onServer(t, subject.direct)
		await.Until(t, "etcd to tell the whole history of "+subject.kind.name, func() bool {
			reached, err := subject.history.reached(version(want[last]))
			if err != nil {
				t.Fatal(err)
			}
			return reached
		})
		for _, l := range subject.present() {
			var difference string
			await.Until(t, "listener "+l.name+" of "+subject.kind.name, func() bool {
				difference = l.differs(want)
				return difference == ""
			})
		}
	}
}

// judge checks everything that must hold for every timing.
func (s *scene) judge(t *testing.T, subject *subject) {
	want := onServer(t, subject.direct)
	s.judgeScripts(t, subject, want)
	if wrong := difference(inStore(subject.informer.GetStore()), want); wrong != "" {
		t.Errorf("the store: %s", wrong)
	}
	judgeIndexes(t, subject.informer.GetIndexer(), want)
	steady := subject.named("steady").log()
	for _, l := range subject.listeners {
		log := l.log()
		t.Logf("%s was told %v", l.name, tally(log))
		report(t, l.name, verify(log, subject.history.changes))
		switch l.name {
		case "late":
			report(t, l.name, sameStory(log, steady, isSuffix))
		case "leaving":
			report(t, l.name, sameStory(log, steady, isPrefix))
		default:
			report(t, l.name, sameStory(log, steady, slices.Equal[[]note]))
		}
		if wrong := l.differs(want); wrong != "" && !l.left {
			t.Errorf("the world of %s: %s", l.name, wrong)
		}
	}
	judgeVictims(t, subject, s.faults.victims)
	t.Logf("the server refused to resume %d times", subject.expired.times.Load())
	if subject.expired.times.Load() == 0 {
		t.Error("no watch was refused with 410 Gone, so the run did not test that")
	}
}

// judgeScripts checks the server itself: if no write was lost, it has the values at the end
// of the scripts.
func (s *scene) judgeScripts(t *testing.T, subject *subject, got map[cache.ObjectName]metav1.Object) {
	t.Helper()
	want := map[cache.ObjectName]int64{}
	for _, script := range s.scripts {
		maps.Copy(want, script.final[subject.kind.name])
	}
	for key, value := range want {
		if got[key] == nil || !holds(got[key], subject.kind.content(value)) {
			t.Errorf("%s on the server is %v, want value %d", key, got[key], value)
		}
	}
	for key, object := range got {
		if _, ok := want[key]; !ok && object.GetLabels()[ownerLabel] != "faults" && object.GetLabels()[ownerLabel] != "" {
			t.Errorf("%s is on the server, its writer deleted it", key)
		}
	}
}

func judgeIndexes(t *testing.T, indexer cache.Indexer, want map[cache.ObjectName]metav1.Object) {
	t.Helper()
	for index, values := range map[string]func(any) ([]string, error){
		cache.NamespaceIndex: cache.MetaNamespaceIndexFunc, "owner": byOwner,
	} {
		members := map[string]int{}
		for _, object := range want {
			under, err := values(object)
			if err != nil {
				t.Fatal(err)
			}
			for _, value := range under {
				members[value]++
			}
		}
		if got := indexer.ListIndexFuncValues(index); len(got) != len(members) {
			t.Errorf("index %s has the values %v, want %v", index, got, slices.Sorted(maps.Keys(members)))
		}
		for value, count := range members {
			got, err := indexer.ByIndex(index, value)
			if err != nil || len(got) != count {
				t.Errorf("index %s has %d objects under %q, want %d (error %v)", index, len(got), value, count, err)
			}
		}
	}
}

// judgeVictims checks deletes that nobody could see. Each must have been told once, marked.
func judgeVictims(t *testing.T, subject *subject, victims []victim) {
	t.Helper()
	stories := map[*listener]map[cache.ObjectName][]note{}
	for _, l := range subject.present() {
		stories[l] = perObject(l.log())
	}
	checked := 0
	for _, v := range victims {
		if v.subject != subject {
			continue
		}
		for _, l := range v.owed {
			story, there := stories[l][v.key], stories[l] != nil
			if !there {
				continue // it has left
			}
			checked++
			if len(story) != 2 || story[0].op != added || story[1].op != missed {
				t.Errorf("%s was told of %s, whose delete nobody saw: %v, want added and missed", l.name, v.key, story)
			}
		}
	}
	if checked == 0 {
		t.Error("no missed delete was checked, so the run did not test that")
	}
	t.Logf("%d missed deletes were told once and marked", checked)
}
