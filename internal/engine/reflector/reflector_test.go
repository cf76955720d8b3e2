package reflector

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

func TestClassify(t *testing.T) {
	for name, want := range map[string]failure{
		"expired": failedExpired, "gone": failedExpired, "too-new": failedTooNew,
		"busy": failedBusy, "busy-7s": failedBusy, "unavailable": failedBusy,
		"refused": failedRefused, "forbidden": failedDenied,
		"missing": failedMissing, "no-match": failedMissing,
		"internal": failedInternal, "invalid": failedOtherwise, "broken": failedOtherwise, "eof": failedOtherwise,
	} {
		err := &Error{During: Listing, Kind: "things", Err: fmt.Errorf("wrapped: %w", faulty.Answer(name))}
		if got := classify(err); got != want {
			t.Errorf("%s is classified as %d, want %d", name, got, want)
		}
	}
	noList := fmt.Errorf("%w: %w", listwatch.ErrNoList, faulty.Answer("forbidden"))
	if got := classify(noList); got != failedNoList || !Degrades(noList) {
		t.Errorf("a kind without a list is classified as %d, and degrades: %t", got, Degrades(noList))
	}
	if got := classify(nil); got != failedOtherwise {
		t.Errorf("no error is classified as %d", got)
	}
}

// TestTooNewInOldWords checks the answers of API servers before 1.19.
func TestTooNewInOldWords(t *testing.T) {
	inMessage := apierrors.NewTimeoutError("Too large resource version: 10, current: 5", 1)
	inCause := apierrors.NewTimeoutError("timeout", 1)
	inCause.ErrStatus.Details.Causes = []metav1.StatusCause{{Message: "Too large resource version"}}
	for _, err := range []error{inMessage, inCause} {
		if classify(err) != failedTooNew {
			t.Errorf("%v is not taken for a version that is too new", err)
		}
	}
	for _, err := range []error{apierrors.NewTimeoutError("timeout", 1), errors.New("Too large resource version")} {
		if classify(err) != failedOtherwise {
			t.Errorf("%v is taken for a version that is too new", err)
		}
	}
}

func TestRetryAfterIsBelievedWithinReason(t *testing.T) {
	for seconds, want := range map[int]time.Duration{0: 0, 7: 7 * time.Second, 86400: maxRetryAfter, -5: 0} {
		err := fmt.Errorf("wrapped: %w", apierrors.NewTooManyRequests("later", seconds))
		if got := retryAfter(err); got != want {
			t.Errorf("Retry-After %d waits %v, want %v", seconds, got, want)
		}
	}
	if got := retryAfter(syscall.ECONNREFUSED); got != 0 {
		t.Errorf("no answer asks for %v", got)
	}
}

// TestEveryStateHasItsSentence reads what an operator reads.
func TestEveryStateHasItsSentence(t *testing.T) {
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	forbidden := faulty.Answer("forbidden")
	for want, s := range map[string]informer.ReflectorStatus{
		"things has not been started": {State: Idle},
		"things waits since 12:00:00 for its turn to list: as many kinds as may list at once are doing it": {State: Queued},
		"things is being listed since 12:00:00":                                                                                                            {State: Streaming},
		"things is being listed since 12:00:00; attempt 2 ended at 12:00:01 with: no":                                                                      {State: Listing, Attempts: 2, LastError: errors.New("no"), LastErrorAt: noon.Add(time.Second)},
		"things asks since 12:00:00 for a watch from version 7":                                                                                            {State: Watching, Version: "7"},
		"things is in step with the server at version 7":                                                                                                   {State: Following, Version: "7", SyncedOnce: true},
		"things is not synced: attempt 3 ended with: no; next try at 12:00:30":                                                                             {State: BackingOff, Attempts: 3, LastError: errors.New("no"), NextTry: noon.Add(30 * time.Second)},
		"things shows the state of version 7: attempt 1 ended with: no; next try at 12:00:30":                                                              {State: BackingOff, Attempts: 1, Version: "7", SyncedOnce: true, LastError: errors.New("no"), NextTry: noon.Add(30 * time.Second)},
		"things is not synced: things.test is forbidden: no role; grant list and watch of the kind to the operator's account; next try at 12:00:30":        {State: Degraded, LastError: forbidden, NextTry: noon.Add(30 * time.Second)},
		"things is not synced: things.test is forbidden: no role; grant list and watch of the kind to the operator's account; trying again since 12:00:00": {State: Listing, Attempts: 2, LastError: forbidden, DegradedSince: noon},
		"things has been stopped": {State: Stopped},
	} {
		s.Kind, s.Since = "things", noon
		if got := why(&s); got != want {
			t.Errorf("%v reads\n%s, want\n%s", s.State, got, want)
		}
	}
	missing := informer.ReflectorStatus{Kind: "things", State: Degraded, LastError: faulty.Answer("missing"), NextTry: noon}
	if got := why(&missing); !strings.Contains(got, "install the kind's CRD") {
		t.Errorf("a missing kind reads %q", got)
	}
	for _, state := range []string{Idle, Queued, Streaming, Listing, Watching, Following, BackingOff, Degraded, Stopped} {
		if got := why(&informer.ReflectorStatus{Kind: "things", State: state, LastError: errors.New("no")}); !strings.HasPrefix(got, "things ") {
			t.Errorf("in state %s it reads %q", state, got)
		}
	}
}

func TestReflectorSettings(t *testing.T) {
	r := New[faulty.Thing](nil, nil, faulty.KeyOf, Options[faulty.Thing]{Kind: "things"})
	if r.opts.Settings != DefaultSettings {
		t.Errorf("no settings end up as %+v", r.opts.Settings)
	}
	if got := r.Status(); got != (informer.ReflectorStatus{Kind: "things", State: Idle, Why: "things has not been started"}) {
		t.Errorf("a new Reflector has the status %+v", got)
	}
	for given, want := range map[time.Duration]time.Duration{time.Second: minStallAfter, time.Hour: time.Hour, -1: -1} {
		r := New[faulty.Thing](nil, nil, faulty.KeyOf, Options[faulty.Thing]{Settings: informer.Settings{StallAfter: given}})
		if got := r.opts.StallAfter; got != want {
			t.Errorf("StallAfter %v ends up as %v, want %v", given, got, want)
		}
	}
}

// TestOneTurnAtATime starts more Reflectors than may list and makes each list
// take a minute: they must go one after the other, a failing one must not keep
// its turn, and one that is degraded must not hold up the rest.
func TestOneTurnAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := NewLimiter(1)
		g := lifecycle.New(t.Context())
		start := time.Now()
		var all []*Reflector[faulty.Thing]
		for i := range 5 {
			lw := &slowLister{}
			if i == 0 {
				lw.err = faulty.Answer("forbidden")
			}
			r := New[faulty.Thing](lw, &worldSink{t: t, world: map[string]string{}}, faulty.KeyOf, Options[faulty.Thing]{Limiter: limiter})
			g.Go("reflector", r.Run)
			synctest.Wait()
			all = append(all, r)
		}
		var synced []time.Duration
		for range 10 {
			time.Sleep(time.Minute)
			synctest.Wait()
			for _, r := range all[1:] {
				if s := r.Status(); s.SyncedOnce && s.ListedAt.Equal(time.Now()) {
					synced = append(synced, time.Since(start))
				}
			}
		}
		if want := []time.Duration{2 * time.Minute, 3 * time.Minute, 4 * time.Minute, 5 * time.Minute}; !slices.Equal(synced, want) {
			t.Errorf("lists were complete after %v, want %v", synced, want)
		}
		if s := all[0].Status(); s.SyncedOnce || s.DegradedSince.IsZero() || s.Attempts < 3 {
			t.Errorf("the forbidden kind has the status %+v", s)
		}
		g.Stop()
		_ = g.Wait()
		if limiter.Taken() != 0 {
			t.Errorf("%d turns were not given back", limiter.Taken())
		}
	})
}

// slowLister takes a minute for a list, in which something comes all the time, and its watches
// bring nothing.
type slowLister struct{ err error }

func (l *slowLister) List(ctx context.Context, opts metav1.ListOptions) (listwatch.Page[faulty.Thing], error) {
	return l.Each(ctx, opts, func(listwatch.Item[faulty.Thing]) {})
}

func (l *slowLister) Each(_ context.Context, _ metav1.ListOptions, do func(listwatch.Item[faulty.Thing])) (listwatch.Page[faulty.Thing], error) {
	for i := range 600 {
		time.Sleep(time.Minute / 600)
		do(listwatch.Item[faulty.Thing]{Obj: faulty.Thing{Name: fmt.Sprint(i), Version: "1"}})
	}
	return listwatch.Page[faulty.Thing]{Version: "5"}, l.err
}

func (l *slowLister) Watch(_ context.Context, opts metav1.ListOptions) (listwatch.Stream[faulty.Thing], error) {
	if opts.SendInitialEvents != nil {
		return nil, faulty.Answer("invalid")
	}
	return l, nil
}

func (l *slowLister) Next(ctx context.Context) (listwatch.Event[faulty.Thing], error) {
	<-ctx.Done()
	return listwatch.Event[faulty.Thing]{}, ctx.Err()
}

func (l *slowLister) Close() {}
