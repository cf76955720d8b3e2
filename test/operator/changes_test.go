package operator

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/pkg/manager"
)

// In TestWhatChanged several field managers make a thousand random edits. They edit widgets,
// the deployments that a controller keeps for them, and ConfigMaps that are for some of them.
// The controller fails and panics, and in the middle another one takes over. Then the test
// compares what their reconcilers were told with what happened.
func TestWhatChanged(t *testing.T) {
	const seed = 1
	t.Logf("seed %d", seed)
	config := administrator(t)
	api := directly(t, config)
	e := &editors{api: api, namespace: newNamespace(t, api)}
	e.history = newHistory(t, config, e.namespace, widgets.GroupVersionKind, deployments.GroupVersionKind, configMaps.GroupVersionKind)

	leader, stop := e.candidate(t, config, seed, nil)
	await.Receive(t, "the first to lead", leader.Elected())
	begin := e.settle(t)
	heir, _ := e.candidate(t, config, seed+1, crcache.TransformStripManagedFields())
	await.Until(t, "the second to be warm", func() bool { return len(heir.line.asked(isListOfWidgets)) > 0 })

	e.edit(t, 400, seed)
	first := awaitJudgement(t, "the first", leader, period{begin, e.settle(t)})

	var editing sync.WaitGroup
	editing.Go(func() { e.edit(t, 200, seed+1) })
	if err := stop(); err != nil {
		t.Fatalf("the first ended with: %v", err)
	}
	await.Receive(t, "the second to lead", heir.Elected())
	editing.Wait()
	e.edit(t, 400, seed+2)
	second := awaitJudgement(t, "the second", heir, period{begin, e.settle(t)})

	for _, j := range []*judgement{first, second} {
		t.Logf("%d changes were true, %d steps were told, %d may be missing, %d calls were incomplete; %d writers were known, and %d own writes",
			j.truths, j.steps, j.unknown, j.incomplete, j.managers, j.own)
		if j.steps < 300 || j.own < 20 || j.managers < 50 {
			t.Errorf("there is too little of something, so the test proves little")
		}
	}
}

// informedCandidate is a manager that may become the leader, with a record of what its
// reconciler was told.
type informedCandidate struct {
	candidate
	told *informed
}

func isListOfWidgets(r request) bool { return strings.HasSuffix(r.path, "/widgets") }

// awaitJudgement waits until the judge finds nothing wrong, because it takes a moment until a
// reconciler is told what has happened. Real faults stay.
func awaitJudgement(t *testing.T, who string, c informedCandidate, in period) *judgement {
	t.Helper()
	var j *judgement
	done := func() bool {
		j = c.told.judge(in)
		return len(j.wrong) == 0
	}
	defer func() {
		if j != nil && len(j.wrong) > 0 {
			t.Errorf("%s:\n%s", who, strings.Join(j.wrong, "\n"))
		}
	}()
	await.Until(t, who+" to be told everything", done)
	return j
}

// editors write objects under several names.
type editors struct {
	api       client.Client
	namespace string
	history   *history
}

// candidate starts a manager. Its cache may drop the managed fields or keep them, and it has
// to be told the same field managers in both cases.
func (e *editors) candidate(t *testing.T, config *rest.Config, seed uint64, transform toolscache.TransformFunc) (informedCandidate, func() error) {
	t.Helper()
	connection, line := newLine(t, config)
	options := competing(t, e.namespace)
	options.Cache.DefaultTransform = transform
	m := newWritingManager(t, connection, options)
	c := informedCandidate{candidate: candidate{Manager: m, line: line}}
	c.told = behave(t, m, e.history, seed)
	return c, start(t, m)
}

var names = []string{"alice", "bob", "carol"}

// edit makes a number of edits, several at a time.
func (e *editors) edit(t *testing.T, edits int, seed uint64) {
	t.Helper()
	var editing sync.WaitGroup
	for i, name := range names {
		editing.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			for done := i; done < edits; {
				switch err := e.editOnce(t.Context(), rng, name); {
				case err == nil:
					done += len(names)
				case apierrors.IsNotFound(err), apierrors.IsAlreadyExists(err), apierrors.IsConflict(err): // somebody else was faster
				default:
					t.Errorf("%s: %v", name, err)
					return
				}
			}
		})
	}
	editing.Wait()
}

const population = 12

func (e *editors) editOnce(ctx context.Context, rng *rand.Rand, who string) error {
	key := client.ObjectKey{Namespace: e.namespace, Name: fmt.Sprint("w", rng.IntN(population))}
	step := fmt.Sprint(rng.IntN(1000))
	switch p := rng.IntN(100); {
	case p < 15:
		return e.create(ctx, widgets.with(key, "1"), who)
	case p < 35:
		return e.patch(ctx, widgets.with(key, ""), who, fmt.Sprintf(`{"spec":{"value":%q}}`, step))
	case p < 40:
		return e.api.Delete(ctx, widgets.with(key, ""))
	case p < 60:
		return e.patch(ctx, deployments.with(key, ""), who, fmt.Sprintf(`{"spec":{"replicas":%s},"metadata":{"labels":{"by":%q}}}`, step, who+step))
	case p < 66:
		return e.api.Delete(ctx, deployments.with(key, ""))
	case p < 76:
		obj := configMaps.with(key, "1")
		obj.SetAnnotations(e.concerns(rng))
		return e.create(ctx, obj, who)
	case p < 86:
		return e.patch(ctx, configMaps.with(key, ""), who, fmt.Sprintf(`{"data":{"value":%q}}`, step))
	case p < 94:
		return e.patch(ctx, configMaps.with(key, ""), who, fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, widgetsAnnotation, e.concerns(rng)[widgetsAnnotation]))
	default:
		return e.api.Delete(ctx, configMaps.with(key, ""))
	}
}

// concerns names no widget, one, or two.
func (e *editors) concerns(rng *rand.Rand) map[string]string {
	var of []string
	for range rng.IntN(3) {
		of = append(of, fmt.Sprint("w", rng.IntN(population)))
	}
	return map[string]string{widgetsAnnotation: strings.Join(of, ",")}
}

func (e *editors) create(ctx context.Context, obj client.Object, who string) error {
	if err := e.api.Create(ctx, obj, client.FieldOwner(who)); err != nil {
		return err
	}
	e.history.wrote(who, obj)
	return nil
}

// patch changes the state that it has read, and no other. So a new version is its own work,
// and a patch that changes nothing is not credited with the write of another editor.
func (e *editors) patch(ctx context.Context, obj *unstructured.Unstructured, who, patch string) error {
	before := obj.DeepCopy()
	if err := e.api.Get(ctx, client.ObjectKeyFromObject(obj), before); err != nil {
		return err
	}
	var change map[string]any
	if err := json.Unmarshal([]byte(patch), &change); err != nil {
		return err
	}
	if err := unstructured.SetNestedField(change, before.GetResourceVersion(), "metadata", "resourceVersion"); err != nil {
		return err
	}
	body, err := json.Marshal(change)
	if err != nil {
		return err
	}
	if err := e.api.Patch(ctx, obj, client.RawPatch(types.MergePatchType, body), client.FieldOwner(who)); err != nil {
		return err
	}
	if obj.GetResourceVersion() != before.GetResourceVersion() {
		e.history.wrote(who, obj)
	}
	return nil
}

// settle waits until the history has reached the server's version, and returns that version.
// Nobody may edit meanwhile.
func (e *editors) settle(t *testing.T) uint64 {
	t.Helper()
	mark := configMaps.with(client.ObjectKey{Namespace: e.namespace, Name: "mark"}, "")
	if err := e.api.Create(t.Context(), mark); err != nil {
		t.Fatal(err)
	}
	version := number(mark.GetResourceVersion())
	remove(t, e.api, configMaps, client.ObjectKeyFromObject(mark))
	await.Until(t, "the history to be complete", func() bool { return e.history.now() > version })
	return version
}

// newWritingManager makes a manager whose client remembers what it has written.
func newWritingManager(t *testing.T, config *rest.Config, options ctrlmanager.Options) ctrlmanager.Manager {
	t.Helper()
	onlyOurs(t)
	options.NewClient = manager.NewClient
	return newManager(t, config, options)
}
