package operator

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/pkg/source"
)

// TestTheNextLeaderIsWarm runs two operators that compete, and stops the leader.
func TestTheNextLeaderIsWarm(t *testing.T) {
	for name, watch := range sources {
		t.Run(name, func(t *testing.T) { handOver(t, watch) })
	}
}

func handOver(t *testing.T, watch watching) {
	config := administrator(t)
	api := directly(t, config)
	namespace := newNamespace(t, api)
	const objects = 200
	key := func(i int) client.ObjectKey {
		return client.ObjectKey{Namespace: namespace, Name: fmt.Sprint("object-", i)}
	}
	for i := range objects {
		create(t, api, configMaps, key(i))
	}
	var candidates [2]candidate
	for i := range candidates {
		connection, line := newLine(t, config)
		m := newManager(t, connection, competing(namespace))
		candidates[i] = candidate{Manager: m, line: line, reconciler: newReconciler(configMaps, m.GetClient())}
		candidates[i].control(t, watch)
	}
	first, second := candidates[0], candidates[1]
	stopFirst := start(t, first)
	await.Receive(t, "the first to lead", first.Elected())
	start(t, second)
	awaitAgreement(t, first.reconciler, api, namespace)

	await.Until(t, "the second to be warm", func() bool { return second.warm(t) == objects })
	change(t, api, configMaps.with(key(0), "2"))
	remove(t, api, configMaps, key(1))
	awaitAgreement(t, first.reconciler, api, namespace)
	await.Until(t, "the second to keep up", func() bool {
		return worldOf(t, second.GetCache(), &corev1.ConfigMapList{}).equal(first.reconciler.saw(namespace))
	})
	if isClosed(second.Elected()) || second.reconciler.called() > 0 {
		t.Fatalf("the second leads (%t) or reconciles (%d calls) while the first does", isClosed(second.Elected()), second.reconciler.called())
	}

	lists := len(second.lists())
	if err := stopFirst(); err != nil {
		t.Fatalf("the first ended with: %v", err)
	}
	calls := first.reconciler.called()
	create(t, api, configMaps, client.ObjectKey{Namespace: namespace, Name: "while-nobody-leads"})
	await.Receive(t, "the second to lead", second.Elected())
	awaitAgreement(t, second.reconciler, api, namespace)
	if again := second.lists()[lists:]; len(again) > 0 {
		t.Errorf("the new leader was not warm: it listed again: %v", again)
	}
	change(t, api, configMaps.with(key(2), "2"))
	remove(t, api, configMaps, key(3))
	awaitAgreement(t, second.reconciler, api, namespace)
	if now := first.reconciler.called(); now != calls {
		t.Errorf("the old leader was called %d times after its end", now-calls)
	}
	first.reconciler.judge(t)
	second.reconciler.judge(t)
}

// competing returns the options of a manager that takes part in leader election.
func competing(namespace string) manager.Options {
	o := managerOptions()
	o.LeaderElection, o.LeaderElectionNamespace, o.LeaderElectionID = true, namespace, operatorName
	o.LeaseDuration, o.RenewDeadline, o.RetryPeriod = new(3*time.Second), new(2*time.Second), new(500*time.Millisecond)
	o.Cache.DefaultNamespaces = map[string]crcache.Config{namespace: {}}
	return o
}

// candidate is a manager that may become the leader.
type candidate struct {
	manager.Manager
	line       *line
	reconciler *reconciler
}

func (c candidate) control(t *testing.T, watch watching) {
	t.Helper()
	options := ourQueue()
	options.EnableWarmup = new(true)
	b := builder.ControllerManagedBy(c.Manager).Named("warm").WatchesRawSource(watch(c.GetCache()))
	must(t, b.WithOptions(options).Complete(c.reconciler))
}

// watching makes a source for the ConfigMaps in a cache.
type watching func(crcache.Cache) ctrlsource.Source

// sources are the sorts of sources that a controller can have.
var sources = map[string]watching{
	"controller-runtime's source": func(c crcache.Cache) ctrlsource.Source {
		return ctrlsource.Kind(c, &corev1.ConfigMap{}, &handler.TypedEnqueueRequestForObject[*corev1.ConfigMap]{})
	},
	"our source": func(c crcache.Cache) ctrlsource.Source {
		return source.NewKind(c, &corev1.ConfigMap{}, &handler.TypedEnqueueRequestForObject[*corev1.ConfigMap]{})
	},
}

// warm returns how many objects the candidate's cache has. It is 0 if the cache has no
// informer yet.
func (c candidate) warm(t *testing.T) int {
	t.Helper()
	if len(c.lists()) == 0 {
		return 0 // a read would start the informer, and the controller has to do that
	}
	return len(worldOf(t, c.GetCache(), c.reconciler.kind.list()))
}

// lists returns the requests for whole lists, streamed or not.
func (c candidate) lists() []request {
	return c.line.asked(func(r request) bool { return strings.HasSuffix(r.path, "/configmaps") && (!r.watch || r.streaming) })
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
