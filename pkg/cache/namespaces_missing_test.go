package cache

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// TestAddNamespaceDoesNotWaitForAKindThatMayBeMissing adds a namespace while a kind is refused.
func TestAddNamespaceDoesNotWaitForAKindThatMayBeMissing(t *testing.T) {
	for name, refused := range map[string]answer{"forbidden": refusal(http.StatusForbidden), "missing": refusal(http.StatusNotFound)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := answers{"secrets": refused, "configmaps": pages(1, time.Minute, emptyList)}
				c := limitedOver(t, server, Options{ByObject: map[client.Object]KindOptions{&corev1.Secret{}: {Missing: WaitForIt}}}, fakeMapper())
				run(t, c)
				synctest.Wait() // it has started
				for _, obj := range []client.Object{&corev1.Secret{}, &corev1.ConfigMap{}} {
					informerOf(t, c, obj)
				}
				began := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				if err := c.AddNamespace(ctx, "blue", crcache.Config{}); err != nil {
					t.Error(err)
				}
				if waited := time.Since(began); waited != time.Minute {
					t.Errorf("it waited for %s, and the other kind takes a minute", waited)
				}
				if err := c.List(ctx, &corev1.ConfigMapList{}, client.InNamespace("blue")); err != nil {
					t.Error(err)
				}
				if err := c.List(ctx, &corev1.SecretList{}, client.InNamespace("blue")); !errors.Is(err, informer.ErrNotSynced) {
					t.Errorf("reading the missing kind returns %v", err)
				}
			})
		})
	}
}
