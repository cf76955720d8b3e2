package operator

import (
	"net/http"
	"testing"

	"go.uber.org/goleak"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
)

// TestManagersLeaveNothingBehind starts and stops an operator fifty times.
func TestManagersLeaveNothingBehind(t *testing.T) {
	config := administrator(t)
	api := directly(t, config)
	namespace := newNamespace(t, api)
	for _, name := range []string{"a", "b", "c"} {
		create(t, api, configMaps, client.ObjectKey{Namespace: namespace, Name: name})
		create(t, api, widgets, client.ObjectKey{Namespace: namespace, Name: name})
	}
	want := worldOf(t, api, configMaps.list(), client.InNamespace(namespace))
	var connections *http.Client // all managers with the same configuration share them
	before := goleak.IgnoreCurrent()
	for range 50 {
		options := managerOptions()
		options.Cache.DefaultNamespaces = map[string]crcache.Config{namespace: {}}
		m := newManager(t, config, options)
		connections = m.GetHTTPClient()
		reconcilers := []*reconciler{newReconciler(configMaps, m.GetClient()), newReconciler(widgets, m.GetClient())}
		for _, r := range reconcilers {
			control(t, m, r)
		}
		again := newReconciler(configMaps, m.GetClient())
		err := builder.ControllerManagedBy(m).Named("again").WatchesRawSource(sources["our source"](m.GetCache())).WithOptions(ourQueue()).Complete(again)
		must(t, err)
		stop := started(t, m)
		await.Until(t, "the reconciler to see everything", func() bool { return reconcilers[0].saw(namespace).equal(want) })
		// The others are stopped at whatever point they have reached.
		if err := stop(); err != nil {
			t.Fatalf("the manager ended with: %v", err)
		}
		reconcilers[0].judge(t)
	}
	// Everything has to end soon after its manager.
	var left error
	for range 10 {
		controlplane.HangUp(connections)
		if left = goleak.Find(before); left == nil {
			return
		}
	}
	t.Errorf("something is left of fifty managers: %v", left)
}
