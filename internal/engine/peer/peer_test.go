package peer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/clock"
	testclock "k8s.io/utils/clock/testing"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

func TestVisibleError(t *testing.T) {
	cause := errors.New("why")
	for during, want := range map[string]string{
		reflector.Listing: "list things: why", reflector.Streaming: "stream a list of things: why",
		reflector.Watching: "why", reflector.Following: "<nil>",
	} {
		if got := fmt.Sprint(VisibleError(&reflector.Error{During: during, Kind: "things", Err: cause})); got != want {
			t.Errorf("an error while %v shows as %q, want %q", during, got, want)
		}
	}
	if VisibleError(nil) != nil || !errors.Is(VisibleError(cause), cause) {
		t.Error("errors of others are changed")
	}
}

// TestConvertedBackoffWaitsAsLong compares the core's backoff with client-go's
// for what the same settings make of it.
func TestConvertedBackoffWaitsAsLong(t *testing.T) {
	for seed := range uint64(200) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 0))
			b := wait.Backoff{
				Duration: time.Duration(1+rng.IntN(1000)) * time.Millisecond,
				Factor:   float64(10+rng.IntN(30)) / 10,
				Steps:    rng.IntN(12),
				Cap:      time.Duration(rng.IntN(3)) * time.Minute,
			}
			theirs := b.DelayWithReset(testclock.NewFakeClock(time.Now()), 2*time.Minute)
			synctest.Test(t, func(t *testing.T) {
				ours := delaysOf(t, convertBackoff(b))
				for i, got := range ours {
					if want := theirs(); (got - want).Abs() > time.Microsecond {
						t.Errorf("%+v: wait %d is %v, theirs %v", b, i, got, want)
					}
				}
			})
		})
	}
}

// delaysOf lets lists fail and measures the time between them.
func delaysOf(t *testing.T, b informer.Backoff) []time.Duration {
	t.Helper()
	b.Reset = 1000 * time.Hour
	var delays []time.Duration
	ctx, stop := context.WithCancel(t.Context())
	opts := reflector.Options[any]{
		Settings: informer.Settings{Lists: informer.PagesOnly, Backoff: b},
		AfterFunc: func(d time.Duration, f func()) func() bool {
			if delays = append(delays, d); len(delays) == 15 {
				stop()
			}
			return time.AfterFunc(d, f).Stop
		},
	}
	lw := listwatch.Of(listwatch.Client{
		List: func(context.Context, metav1.ListOptions) (runtime.Object, error) { return nil, io.ErrUnexpectedEOF },
	}, nil)
	_ = reflector.New(lw, nil, nil, opts).Run(ctx) // it never has anything for a sink
	return delays
}

// plainClock has no AfterFunc.
type plainClock struct{ clock.Clock }

func TestAfterFuncOfClock(t *testing.T) {
	if afterFunc(plainClock{clock.RealClock{}}) != nil {
		t.Error("a clock without AfterFunc got one")
	}
	fakeClock := testclock.NewFakeClock(time.Unix(0, 0))
	rang := make(chan struct{})
	stop := afterFunc(fakeClock)(time.Hour, func() { rang <- struct{}{} })
	g := lifecycle.New(t.Context())
	g.Guest("step", func(context.Context) { fakeClock.Step(time.Hour) })
	<-rang
	if stop() {
		t.Error("a timer that rang could be stopped")
	}
	g.Stop()
	_ = g.Wait()
}
