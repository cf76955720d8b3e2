package engine

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

func (e *empire) compare(settled bool) {
	want := map[delta.Key]string{}
	var lowest reflector.VersionUnion
	for _, p := range e.provinces {
		s := e.informer.coverage.Load().called(p.reach.namespace)
		if s == nil {
			continue
		}
		for key, version := range p.shown() {
			want[key] = version
		}
		lowest.Add(p.At(), time.Time{})
		if err := e.informer.SyncedIn(p.sample()); err != nil {
			e.t.Error(err)
		}
	}
	shown := map[delta.Key]string{}
	for key, obj := range e.informer.Store().View().All() {
		shown[key] = obj.Version
	}
	if fmt.Sprint(shown) != fmt.Sprint(want) {
		e.t.Errorf("the store shows\n%v, the servers\n%v", shown, want)
	}
	for o, s := range e.watching {
		e.compareWorld(o, want)
		if synced := isClosed(s.Synced()); synced != (settled || !e.forbidden) {
			e.t.Errorf("%s is synced: %t", o.name, synced)
		}
		if e.whole && o.exiled > 0 {
			e.t.Errorf("%s was told %d times that something is out of scope", o.name, o.exiled)
		}
		if e.whole && o.name == "resyncing" && o.syncs == 0 && len(want) > 0 {
			e.t.Error("nothing was resynced in hours")
		}
	}
	e.compareStatus(lowest.Version())
}

// compareWorld checks what a subscriber believes. Of what was removed silently it
// may believe more than there is.
func (e *empire) compareWorld(o *exile, want map[delta.Key]string) {
	for key, version := range want {
		if o.world[key].Version != version {
			e.t.Errorf("%s believes in %s, the server has version %s", o.name, o.world[key], version)
		}
	}
	for key, obj := range o.world {
		_, there := want[key]
		if _, silent := e.silent.Load(key.Namespace); !there && !silent {
			e.t.Errorf("%s believes in %s, which is not there", o.name, obj)
		}
	}
}

func (e *empire) compareStatus(version string) {
	status := e.informer.Status()
	if version != "" && status.Version != version {
		e.t.Errorf("the store says it is at version %s, the lowest scope is at %s", status.Version, version)
	}
	if status.Synced == e.forbidden {
		e.t.Errorf("synced: %t, a scope is forbidden: %t", status.Synced, e.forbidden)
	}
	select {
	case <-e.informer.Settled():
	default:
		e.t.Error("not settled")
	}
	for _, scope := range status.Scopes {
		if scope.Namespace == "z" {
			if err := e.informer.SyncedIn("z"); scope.Synced || !errors.Is(err, informer.ErrNotSynced) || !strings.Contains(err.Error(), "things in namespace z") {
				e.t.Errorf("of the forbidden scope it is said %v", err)
			}
			if status.Reflector.Kind != scope.Reflector.Kind {
				e.t.Errorf("the worst is said to be %s", status.Reflector.Why)
			}
			continue
		}
		for _, p := range e.provinces {
			if p.reach.namespace == scope.Namespace && (!scope.Synced || scope.Version != p.At() || scope.HeardAt.IsZero()) {
				e.t.Errorf("%s is at %s and not as its status says: %+v", p.reach, p.At(), scope)
			}
		}
	}
}
