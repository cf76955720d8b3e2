package builder

import (
	"context"
	"sync"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// writesOf returns what the manager's client has written. A client of the user's around ours may not say it, but
// the Runtime knows it. A client that does not remember that has written nothing. The log says why when somebody
// first asks.
func writesOf(mgr manager.Manager, of *managed.Runtime) delta.OwnWrites {
	if client, ok := mgr.GetClient().(interface{ OwnWrites() delta.OwnWrites }); ok {
		return client.OwnWrites()
	}
	if of.Writes != nil {
		return of.Writes
	}
	return &forgotten{log: mgr.GetLogger()}
}

// forgotten stands for the writes of a client that does not remember them.
type forgotten struct {
	log  logr.Logger
	once sync.Once
}

func (f *forgotten) explain() {
	f.once.Do(func() {
		f.log.Info("Own is false for every change, because the manager's client does not remember what it writes: " +
			"use manager.Configure of delta-runtime, or set NewClient to its manager.NewClient")
	})
}

// Made reports false.
func (f *forgotten) Made(types.UID, string, string) bool {
	f.explain()
	return false
}

// Deleted reports false.
func (f *forgotten) Deleted(types.UID) bool {
	f.explain()
	return false
}

// Settled returns at once, because there is nothing to wait for.
func (f *forgotten) Settled(context.Context, delta.Object) error { return nil }
