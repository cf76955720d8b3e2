package cache

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"

	patiently "github.com/delta-runtime/delta-runtime/internal/testing/await"
)

// TestAFrozenServerIsNoticed has a server that answers nothing for a while, and counts how often one is asked that speaks.
func TestAFrozenServerIsNoticed(t *testing.T) {
	const bound = 20 * time.Second
	for name, tt := range map[string]struct {
		heard  func(began time.Time) time.Time // when the kinds last heard the server
		frozen bool
		refuse bool
		asked  int // in ten minutes; negative for any number
		lost   bool
	}{
		"it speaks":            {func(time.Time) time.Time { return time.Now() }, false, false, 0, false},
		"nothing happens":      {func(began time.Time) time.Time { return began }, false, false, 30, false},
		"it refuses to answer": {func(began time.Time) time.Time { return began }, false, true, 30, false},
		"it is frozen":         {func(began time.Time) time.Time { return began }, true, false, -1, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, asked, first := time.Now(), 0, time.Duration(0)
				var mu sync.Mutex
				p := &pulse{bound: bound, heard: func() time.Time { return tt.heard(began) }}
				p.ask = func(ctx context.Context) error {
					asked++
					switch {
					case tt.frozen:
						<-ctx.Done()
						return ctx.Err()
					case tt.refuse:
						return apierrors.NewForbidden(schema.GroupResource{}, "", nil)
					default:
						return nil
					}
				}
				p.tell = func(since time.Time, why error) {
					mu.Lock()
					defer mu.Unlock()
					if !since.IsZero() && first == 0 {
						first = time.Since(began)
					}
					if !since.IsZero() && (!since.Equal(began) || !errors.Is(why, context.DeadlineExceeded)) {
						t.Errorf("not heard since %v (%v), want since %v", since, why, began)
					}
				}
				ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
				defer stop()
				p.run(ctx)
				if tt.asked >= 0 && (asked < tt.asked-1 || asked > tt.asked+1) {
					t.Errorf("the server was asked %d times, want %d", asked, tt.asked)
				}
				if tt.lost != (first > 0) || first > bound+5*time.Second {
					t.Errorf("noticed after %v", first)
				}
			})
		})
	}
}

// TestAWatchThatHearsNothingIsNotInStep tells a kind that its server does not answer, and then that it does.
func TestAWatchThatHearsNothingIsNotInStep(t *testing.T) {
	f := newFakeAPI(t, configMap("red", "a"))
	c := newCache(t, f, crcache.Options{}, Options{StaleAfter: time.Hour})
	start(t, c)
	must(t, get(t, c, "red", "a"))
	patiently.Until(t, "the watch to be open", func() bool { return c.Status()[0].Informer.Reflector.State == "Following" })
	c.suspect(time.Now().Add(-2*time.Hour), errors.New("as the test wants it"))
	if s := c.Status()[0]; s.DisconnectedSince.IsZero() || c.Healthz(nil) == nil {
		t.Errorf("the kind says %q, and Healthz %v", s.Why, c.Healthz(nil))
	}
	f.put(configMap("red", "b"))
	patiently.Until(t, "an event to show that the server is there", func() bool { return c.Healthz(nil) == nil })
	c.suspect(time.Now().Add(-2*time.Hour), errors.New("as the test wants it"))
	c.suspect(time.Time{}, nil)
	if err := c.Healthz(nil); err != nil {
		t.Errorf("the server answers again, and Healthz returns %v", err)
	}
}

// TestAKindThatMayBeMissingIsNotUnready sees that readiness does not wait for a CRD that may never come.
func TestAKindThatMayBeMissingIsNotUnready(t *testing.T) {
	f := newFakeAPI(t)
	f.deny("configmaps", http.StatusForbidden)
	for missing, unready := range map[Missing]bool{WaitForIt: false, Fail: true} {
		c := newCache(t, f, crcache.Options{}, Options{Default: KindOptions{Missing: missing, Reflector: quickRetries}})
		informerOf(t, c, configMap("", ""), crcache.BlockUntilSynced(false))
		run(t, c)
		patiently.Until(t, "the refusal", func() bool { s := c.Status(); return len(s) > 0 && !s[0].DegradedSince.IsZero() })
		if got, optional := c.Healthz(nil) != nil, c.OptionalHealthz(nil) != nil; got != unready || optional == unready {
			t.Errorf("missing %d: Healthz fails: %t, and OptionalHealthz: %t", missing, got, optional)
		}
	}
}
