package operator

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
)

// grace is how long a manager may take to end. kubebuilder's scaffold gives a pod this time.
const grace = 10 * time.Second

// atOnce is how long it may take on a busy machine until an existing kind is reconciled.
const atOnce = 30 * time.Second

// atATime is how many managers are started together, while a CRD is missing.
const atATime = 5

// howMany is how many managers are started in all.
func howMany(t *testing.T) int {
	t.Helper()
	asked := os.Getenv("OPERATOR_STARTS")
	if asked == "" {
		return 2 * atATime
	}
	number, err := strconv.Atoi(asked)
	if err != nil {
		t.Fatalf("OPERATOR_STARTS=%s: %v", asked, err)
	}
	return number
}

// TestManagersStartWithoutAKind starts managers that watch five kinds. The server does not
// have one of them. No manager ends because of that. The other four kinds are reconciled at
// once, and the fifth as soon as its CRD exists. Each manager ends when it is stopped.
// OPERATOR_STARTS says how many managers there are.
func TestManagersStartWithoutAKind(t *testing.T) {
	onlyOurs(t)
	config := administrator(t)
	api := directly(t, config)
	namespace := newNamespace(t, api)
	key := client.ObjectKey{Namespace: namespace, Name: "a"}
	for _, k := range present {
		object := k.object()
		object.SetNamespace(key.Namespace)
		object.SetName(key.Name)
		if err := api.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	var slowest [3]time.Duration
	for begun := 0; begun < howMany(t); {
		undefine(t, api, gadgets)
		var all []*fiveKinds
		for ; begun < howMany(t) && len(all) < atATime; begun++ {
			f := newFiveKinds(t, config, adoptions[begun%len(adoptions)])
			f.api, f.namespace = api, namespace
			if begun%3 != 0 {
				f.askForTheMissing(t)
			}
			f.start(t)
			all = append(all, f)
		}
		for _, f := range all {
			slowest[0] = max(slowest[0], f.awaitPresent(t))
		}
		define(t, api, gadgets)
		create(t, api, gadgets, key)
		defined := time.Now()
		for _, f := range all {
			f.awaitMissing(t)
			slowest[1] = max(slowest[1], time.Since(defined))
		}
		for _, f := range all {
			slowest[2] = max(slowest[2], f.end(t))
		}
	}
	t.Logf("%d managers: four kinds took at most %v, the fifth %v from its CRD on, the end %v", howMany(t), slowest[0], slowest[1], slowest[2])
}

var (
	secrets = kind{
		corev1.SchemeGroupVersion.WithKind("Secret"),
		func() client.Object { return &corev1.Secret{} }, func() client.ObjectList { return &corev1.SecretList{} },
	}
	serviceAccounts = kind{
		corev1.SchemeGroupVersion.WithKind("ServiceAccount"),
		func() client.Object { return &corev1.ServiceAccount{} }, func() client.ObjectList { return &corev1.ServiceAccountList{} },
	}
	// present are the kinds that the server has.
	present = []kind{configMaps, secrets, serviceAccounts, widgets}
)

// fiveKinds is an operator with a controller for each of five kinds.
type fiveKinds struct {
	how         adoption
	api         client.Client // a client that may do everything
	namespace   string
	manager     manager.Manager
	reconcilers []*reconciler // the last one is for the missing kind
	life        context.Context
	stop        context.CancelFunc
	begun       time.Time
	asking      sync.WaitGroup
	ended       chan error
}

func newFiveKinds(t *testing.T, config *rest.Config, how adoption) *fiveKinds {
	t.Helper()
	options := managerOptions(t)
	options.NewCache = nil
	options.GracefulShutdownTimeout = new(grace)
	options.MapperProvider = slowly
	if err := how.configure(&options); err != nil {
		t.Fatal(err)
	}
	f := &fiveKinds{how: how, manager: newManager(t, config, options), ended: make(chan error, 1)}
	f.life, f.stop = context.WithCancel(context.Background())
	for _, k := range append(present[:len(present):len(present)], gadgets) {
		r := newReconciler(k, f.manager.GetClient())
		f.reconcilers = append(f.reconcilers, r)
		if err := how.control(f.manager, k.object(), r); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// askForTheMissing asks for the missing kind all the time, so that a call waits for it while
// the caches start.
func (f *fiveKinds) askForTheMissing(t *testing.T) {
	t.Helper()
	f.asking.Go(func() {
		for f.life.Err() == nil {
			if _, err := f.manager.GetCache().GetInformer(f.life, &Gadget{}); err == nil {
				return
			}
		}
	})
}

func (f *fiveKinds) start(t *testing.T) {
	t.Helper()
	f.begun = time.Now()
	f.asking.Go(func() { f.ended <- f.manager.Start(f.life) })
	t.Cleanup(func() {
		f.stop()
		if !t.Failed() { // otherwise it may never end
			f.asking.Wait()
		}
		controlplane.HangUp(f.manager.GetHTTPClient())
	})
}

// awaitPresent waits until the four existing kinds are reconciled, and returns how long that
// took.
func (f *fiveKinds) awaitPresent(t *testing.T) time.Duration {
	t.Helper()
	for _, r := range f.reconcilers[:len(present)] {
		f.await(t, r, atOnce)
	}
	return time.Since(f.begun)
}

func (f *fiveKinds) awaitMissing(t *testing.T) {
	t.Helper()
	f.await(t, f.reconcilers[len(present)], await.Patience)
}

func (f *fiveKinds) await(t *testing.T, r *reconciler, patience time.Duration) {
	t.Helper()
	what := f.how.name + ": the reconciler of " + r.kind.Kind + " to see what the server has"
	await.Within(t, patience, what, func() error {
		select {
		case err := <-f.ended:
			t.Fatalf("%s: the manager ended by itself: %v", f.how.name, err)
		default:
		}
		saw, has := r.saw(f.namespace), worldOf(t, f.api, r.kind.list(), client.InNamespace(f.namespace))
		if !saw.equal(has) {
			return fmt.Errorf("it saw %v of %v", saw, has)
		}
		return nil
	})
}

// end stops the manager, and returns how long that took.
func (f *fiveKinds) end(t *testing.T) time.Duration {
	t.Helper()
	begun := time.Now()
	f.stop()
	select {
	case err := <-f.ended:
		if err != nil {
			t.Errorf("%s: the manager ended with: %v", f.how.name, err)
		}
	case <-time.After(grace):
		t.Errorf("%s: the manager has not ended in %v", f.how.name, grace)
	}
	return time.Since(begun)
}

// slowly makes a mapper that needs some time to say that a kind is missing, as with an API
// server with many groups. So a call of the mapper is under way when the caches start.
func slowly(config *rest.Config, connections *http.Client) (meta.RESTMapper, error) {
	mapper, err := apiutil.NewDynamicRESTMapper(config, connections)
	return slowMapper{mapper}, err
}

type slowMapper struct{ meta.RESTMapper }

// RESTMapping calls the mapper, and delays its errors.
func (m slowMapper) RESTMapping(kind schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	mapping, err := m.RESTMapper.RESTMapping(kind, versions...)
	if err != nil {
		time.Sleep(300 * time.Millisecond)
	}
	return mapping, err
}
