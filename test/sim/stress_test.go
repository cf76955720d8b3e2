package sim

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/testing/stress"
)

// TestStartStop starts and stops informers in every order. Meanwhile handlers come and go.
func TestStartStop(t *testing.T) {
	stress.Test(t, func() stress.Life {
		s := newServer(serverConfig{streaming: true})
		for i, key := range allKeys {
			s.write(write{kind: "ADDED", key: key, rev: int64(i + 1), uid: "u"})
		}
		i := subject(s, &corev1.ConfigMap{}, time.Second, cache.Indexers{})
		return stress.Life{
			Run:   i.RunWithContext,
			Stops: []func(){func() { i.IsStopped() }},
			Use: func() {
				h, err := i.AddEventHandler(cache.ResourceEventHandlerFuncs{})
				if err != nil {
					return // it has stopped
				}
				i.HasSynced()
				if err := i.RemoveEventHandler(h); err != nil {
					t.Error(err)
				}
			},
		}
	})
}
