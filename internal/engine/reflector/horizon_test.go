package reflector

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

func TestHorizonIsTheNewestThatAnybodyHasSeen(t *testing.T) {
	for want, seen := range map[string][]string{
		"0": {}, "7": {"7"}, "10": {"9", "10", "8"}, "5": {"", "5", ""}, "": {"10", "zebra", "11"},
	} {
		for left := range 1 + len(seen) { // some may have ended
			var h Horizon
			for i, version := range seen {
				leave := h.enter(func() string { return version })
				if i < left {
					leave()
				}
			}
			if got := h.listFrom(); got != want {
				t.Errorf("of %q, where %d have ended, a list is from %q, want %q", seen, left, got, want)
			}
		}
	}
	var nobody *Horizon
	defer nobody.enter(nil)()
	if got := nobody.listFrom(); got != "0" {
		t.Errorf("without a horizon a list is from %q", got)
	}
}

// lagging is a server that notes from which versions it is listed, and lags behind if it may.
type lagging struct {
	slowLister
	asked []string
}

func (l *lagging) List(_ context.Context, opts metav1.ListOptions) (listwatch.Page[faulty.Thing], error) {
	l.asked = append(l.asked, opts.ResourceVersion+" "+string(opts.ResourceVersionMatch))
	if opts.ResourceVersion == "0" {
		return listwatch.Page[faulty.Thing]{Version: "5"}, nil
	}
	return listwatch.Page[faulty.Thing]{Version: "12"}, nil
}

func (l *lagging) Each(ctx context.Context, opts metav1.ListOptions, _ func(listwatch.Item[faulty.Thing])) (listwatch.Page[faulty.Thing], error) {
	return l.List(ctx, opts)
}

// A first list shows at least what another Reflector of the kind has seen, whether that runs or not.
func TestAFirstListIsNoOlderThanWhatOthersHaveSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var horizon Horizon
		run := func() (*lagging, *lifecycle.Group) {
			server, g := &lagging{}, lifecycle.New(t.Context())
			opts := Options[faulty.Thing]{Horizon: &horizon, Settings: informer.Settings{Lists: informer.PagesOnly, PageSize: 100}}
			g.Go("reflector", New(server, &worldSink{t: t, world: map[string]string{}}, faulty.KeyOf, opts).Run)
			time.Sleep(time.Second)
			synctest.Wait()
			return server, g
		}
		for i, want := range []string{"0 ", "5 NotOlderThan", "12 NotOlderThan"} {
			server, g := run()
			if len(server.asked) != 1 || server.asked[0] != want {
				t.Errorf("Reflector %d lists from %q, want %q", i, server.asked, want)
			}
			if i == 1 {
				continue // it ends after the next has begun
			}
			g.Stop()
			_ = g.Wait()
		}
	})
}
