package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// A relist shows what the watch did not, costs a list, and tells nothing else.
func TestRelist(t *testing.T) {
	withCrowd(t, 100, resync.Policy{}, func(r *resyncRig) {
		t := r.T // of the bubble
		var told []string
		subscribe(t, r.Informer, func(d *delta.Delta[faulty.Thing]) {
			if !d.Initial {
				told = append(told, fmt.Sprint(d.Op, " ", d.Key, " relisted=", d.Relisted, " missed=", d.Missed))
			}
		})
		r.server.mu.Lock()
		r.server.things[7] = faulty.Thing{Name: "7", Version: "2"}
		r.server.things = append(r.server.things[:99], faulty.Thing{Name: "new", Version: "2"}) // in the place of 99
		r.server.mu.Unlock()
		if err := r.Relist(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, there := r.Store().Get(delta.Key{Name: "new"}); !there {
			t.Error("when Relist has returned, what is new can't be read")
		}
		synctest.Wait()
		if got, want := strings.Join(told, "\n"), "Updated 7 relisted=true missed=false\nAdded new relisted=true missed=false\nDeleted 99 relisted=false missed=true"; got != want {
			t.Errorf("told\n%s\nwant\n%s", got, want)
		}
		if got := strings.Join(r.server.lists, ","); got != "0," {
			t.Errorf("lists of versions %q, want 0 and then the newest", got)
		}
		before := len(told)
		g := lifecycle.New(t.Context())
		for n := range 50 {
			g.Guest(fmt.Sprint("relist ", n), func(ctx context.Context) {
				if err := r.Relist(ctx); err != nil {
					t.Error(err)
				}
			})
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if lists := len(r.server.lists); lists > 4 {
			t.Errorf("50 who wanted a list at the same moment got %d lists", lists-2)
		}
		g.Stop()
		_ = g.Wait()
		if status := r.Status().Reflector; status.Attempts != 0 || status.LastError != nil || status.State != reflector.Following || len(told) != before {
			t.Errorf("after that: %+v, told %v", status, told[before:])
		}
	})
}

func TestResyncIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := New[faulty.Thing](forbidden{}, Options[faulty.Thing]{Name: "things", Traits: thingTraits})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		refuse := func(when string, want error) {
			t.Helper()
			for what, err := range map[string]error{"resync": i.Resync(nil), "relist": i.Relist(ctx)} {
				if !errors.Is(err, want) || !strings.Contains(err.Error(), what+" things") {
					t.Errorf("%s %s: %v, want %v", what, when, err, want)
				}
			}
		}
		refuse("before it runs", informer.ErrNotSynced)
		stop := start(t, i)
		synctest.Wait()
		if err := i.Resync(nil); !errors.Is(err, informer.ErrNotSynced) || !strings.Contains(err.Error(), "forbidden") {
			t.Errorf("resync of what is not synced: %v", err)
		}
		if err := i.Relist(ctx); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "forbidden") {
			t.Errorf("relist of what is forbidden: %v", err)
		}
		for _, policy := range []resync.Policy{{Period: -5}, {Jitter: 2}, {Spread: 9}, {Rate: -1}, {OnlyIfNotReconciledFor: -1}, {Namespaces: []string{"p"}, Except: []string{"p"}}} {
			if err := i.SetScopeResync("", policy); err == nil {
				t.Errorf("%+v was accepted", policy)
			}
		}
		if err := i.SetScopeResync("p", resync.Policy{}); !errors.Is(err, informer.ErrNotCovered) {
			t.Errorf("the policy of a scope that is not there: %v", err)
		}
		stop()
		refuse("when it has stopped", ErrStopped)
	})
}
