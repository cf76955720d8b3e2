package cache

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	crtools "k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	patiently "github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

func parse(t *testing.T, selector string) labels.Selector {
	t.Helper()
	s, err := labels.Parse(selector)
	must(t, err)
	return s
}

// quickRetries lets a kind heal while a test waits.
var quickRetries = informer.Settings{Backoff: informer.Backoff{Initial: 1e6, Max: 2e7}}

// TestAKindMayBeForbidden starts with a kind that may not be read, and sees
// everything else go on and the kind heal.
func TestAKindMayBeForbidden(t *testing.T) {
	f := newFakeAPI(t)
	before := len(logged.of("Secret"))
	f.deny("secrets", http.StatusForbidden)
	f.put(configMap("red", "a"))
	f.put(&corev1.Secret{ObjectMeta: configMap("red", "s").ObjectMeta})
	c := newCache(t, f, crcache.Options{}, Options{ByObject: map[client.Object]KindOptions{
		&corev1.Secret{}: {Missing: WaitForIt, Reflector: quickRetries},
	}})
	secrets := informerOf(t, c, &corev1.Secret{})
	told := make(chan string, 10)
	registered := handle(t, secrets, crtools.ResourceEventHandlerFuncs{AddFunc: func(obj any) { told <- obj.(*corev1.Secret).Name }})
	start(t, c)
	<-registered.HasSyncedChecker().Done() // or a controller that waits for its handler would not start
	if secrets.HasSynced() {
		t.Error("the informer claims to have synced")
	}
	if err := get(t, c, "red", "a"); err != nil {
		t.Errorf("another kind: %v", err)
	}
	key := client.ObjectKey{Namespace: "red", Name: "s"}
	for _, err := range []error{c.Get(t.Context(), key, &corev1.Secret{}), c.List(t.Context(), &corev1.SecretList{})} {
		if !errors.Is(err, informer.ErrNotSynced) || !strings.Contains(err.Error(), "grant list and watch") {
			t.Errorf("reading returns %v, want an error that says why and what to do", err)
		}
	}
	if err := c.Healthz(nil); err != nil {
		t.Errorf("a kind that may be missing makes Healthz return %v", err)
	}
	err := c.OptionalHealthz(nil)
	if err == nil || !strings.Contains(err.Error(), "v1 Secret is not synced") || !strings.Contains(err.Error(), "since ") {
		t.Errorf("OptionalHealthz returns %v", err)
	}
	if said := logged.of("Secret")[before:]; len(said) > 0 {
		t.Errorf("a kind that may be missing is an error in the log, %d times: %s", len(said), said[0])
	}
	f.deny("secrets", 0)
	if name := <-told; name != "s" {
		t.Errorf("the handler was told of %q", name)
	}
	if err := c.Get(t.Context(), key, &corev1.Secret{}); err != nil {
		t.Error(err)
	}
	for c.OptionalHealthz(nil) != nil && t.Context().Err() == nil { // until the watch is open
	}
}

// TestRelistOfADegradedKind sees who waits for a list told why there is none.
func TestRelistOfADegradedKind(t *testing.T) {
	f := newFakeAPI(t)
	f.deny("secrets", 403)
	c := newCache(t, f, crcache.Options{}, Options{ByObject: map[client.Object]KindOptions{&corev1.Secret{}: {Missing: WaitForIt}}})
	informerOf(t, c, &corev1.Secret{})
	start(t, c)
	patiently.Until(t, "the server's refusal", func() bool { return c.Status()[0].Informer.Reflector.LastError != nil })
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := c.Relist(ctx, &corev1.Secret{}); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "relist *v1.Secret: relist v1 Secret: ") {
		t.Errorf("relist of what is forbidden: %v", err)
	}
	if err := c.Resync(t.Context(), &corev1.Secret{}, nil); !errors.Is(err, informer.ErrNotSynced) {
		t.Errorf("resync of what is forbidden: %v", err)
	}
}
