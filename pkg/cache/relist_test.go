package cache

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	patiently "github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

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
