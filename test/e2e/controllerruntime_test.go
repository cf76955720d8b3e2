package e2e

import (
	"context"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientcache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/toolscache"
)

// TestControllerRuntimeReadsThroughOurInformer gives our constructor to controller-runtime's
// cache, as an operator does that adopts it. It reads what a client writes.
func TestControllerRuntimeReadsThroughOurInformer(t *testing.T) {
	plane := controlplane.ForTest(t, controlplane.Options{})
	config := plane.Config()
	http := controlplane.HTTPClientForTest(t, config)
	api, err := client.New(config, client.Options{HTTPClient: http})
	if err != nil {
		t.Fatal(err)
	}
	reads, err := cache.New(config, cache.Options{HTTPClient: http, NewInformer: toolscache.NewSharedIndexInformer})
	if err != nil {
		t.Fatal(err)
	}
	byMood := func(o client.Object) []string { return []string{o.(*corev1.ConfigMap).Data["mood"]} }
	if err := reads.IndexField(t.Context(), &corev1.ConfigMap{}, "data.mood", byMood); err != nil {
		t.Fatal(err)
	}
	runCache(t, reads)
	told := listenToConfigMaps(t, reads)

	settings := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "settings", Labels: map[string]string{"team": "red"}},
		Data:       map[string]string{"mood": "good"},
	}
	if err := api.Create(t.Context(), settings); err != nil {
		t.Fatal(err)
	}
	key := client.ObjectKeyFromObject(settings)
	awaitMood(t, reads, key, "good")
	if got := told(t, "add"); got != settings.ResourceVersion {
		t.Errorf("the handler was told of version %s, want %s", got, settings.ResourceVersion)
	}
	for name, option := range map[string]client.ListOption{
		"label": client.MatchingLabels{"team": "red"}, "index": client.MatchingFields{"data.mood": "good"},
	} {
		var found corev1.ConfigMapList
		if err := reads.List(t.Context(), &found, client.InNamespace("default"), option); err != nil || len(found.Items) != 1 {
			t.Errorf("listing by %s finds %d objects (error %v), want 1", name, len(found.Items), err)
		}
	}

	settings.Data["mood"] = "bad"
	if err := api.Update(t.Context(), settings); err != nil {
		t.Fatal(err)
	}
	awaitMood(t, reads, key, "bad")
	if got := told(t, "update"); got != settings.ResourceVersion {
		t.Errorf("the handler was told of version %s, want %s", got, settings.ResourceVersion)
	}

	if err := api.Delete(t.Context(), settings); err != nil {
		t.Fatal(err)
	}
	told(t, "delete")
	if err := reads.Get(t.Context(), key, &corev1.ConfigMap{}); !apierrors.IsNotFound(err) {
		t.Errorf("reading a deleted object returns %v, want not found", err)
	}
}

// runCache runs a cache until the test ends.
func runCache(t *testing.T, c cache.Cache) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := c.Start(ctx); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		stop()
		running.Wait()
	})
	if !c.WaitForCacheSync(ctx) {
		t.Fatal("the cache has not synced")
	}
}

// listenToConfigMaps adds a handler for the ConfigMaps in namespace default. It returns a
// function that waits for the next call of the handler. That call must be of the given kind,
// and the function returns the version of the object.
func listenToConfigMaps(t *testing.T, c cache.Cache) func(*testing.T, string) string {
	t.Helper()
	shared, err := c.GetInformer(t.Context(), &corev1.ConfigMap{})
	if err != nil {
		t.Fatal(err)
	}
	if _, ours := shared.(interface {
		Status() informer.Status
	}); !ours {
		t.Fatalf("the cache reads through a %T, which is not ours", shared)
	}
	calls := make(chan [2]string, 100)
	call := func(kind string, obj any) {
		if o, ok := obj.(*corev1.ConfigMap); ok && o.Name == "settings" {
			calls <- [2]string{kind, o.ResourceVersion}
		}
	}
	if _, err := shared.AddEventHandler(clientcache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { call("add", obj) },
		UpdateFunc: func(_, obj any) { call("update", obj) },
		DeleteFunc: func(obj any) { call("delete", obj) },
	}); err != nil {
		t.Fatal(err)
	}
	return func(t *testing.T, kind string) (version string) {
		t.Helper()
		await.Until(t, "the handler to be called", func() bool { return len(calls) > 0 })
		got := <-calls
		if got[0] != kind {
			t.Fatalf("the handler was told %s, want %s", got[0], kind)
		}
		return got[1]
	}
}

func awaitMood(t *testing.T, reads client.Reader, key client.ObjectKey, mood string) {
	t.Helper()
	await.Until(t, "the cache to show mood "+mood, func() bool {
		var o corev1.ConfigMap
		err := reads.Get(t.Context(), key, &o)
		return err == nil && o.Data["mood"] == mood
	})
}
