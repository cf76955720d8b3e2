package builder_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// TestCauseLog reads the line of each call.
func TestCauseLog(t *testing.T) {
	for level, want := range map[int][]string{
		0: {
			`"because"="InitialList Secret team/a Added" "result"="success" "incomplete"="an object was there`,
			`"because"="Primary Secret team/a Updated (data.password: (hidden) → (hidden))" "result"="error" "steps"=["copy done"]`,
			`"because"="Retry, Primary Secret team/a Updated (told again) (data.password: (hidden) → (hidden))" "result"="success" "attempt"=2`,
		},
		1: nil,
	} {
		inWorld(t, func(t *testing.T, w *world) {
			var lines []string
			w.manager.logger = funcr.New(func(_, args string) {
				if strings.Contains(args, `"msg"="Reconciled"`) {
					lines = append(lines, args)
				}
			}, funcr.Options{Verbosity: 0})
			var calls atomic.Int32
			about := newObject(secret, "a").(*corev1.Secret)
			about.Data = map[string][]byte{"password": []byte("canary")}
			w.servers[secret].Add(about)
			synctest.Wait()
			reconciler := reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
				if calls.Add(1) != 2 {
					return reconcile.Result{}, nil
				}
				err := delta.Plan(ctx).On(&corev1.Secret{}, "data").Do("copy", func(context.Context) error { return nil })
				return reconcile.Result{}, errors.Join(err, errors.New("once"))
			})
			must(t, builder.ControllerManagedBy(w.manager).Named("logs").For(&corev1.Secret{}).WithCauseLog(level).Complete(reconciler))
			w.start()
			about = about.DeepCopy()
			about.Data["password"] = []byte("another canary")
			w.servers[secret].Modify(about)
			w.awaitCalls(func() bool { return calls.Load() == 3 })
			if len(lines) != len(want) {
				t.Fatalf("level %d has %d lines, want %d: %q", level, len(lines), len(want), lines)
			}
			for i, line := range lines {
				line = regexp.MustCompile(`"took"="[^"]*" ?`).ReplaceAllString(line, "")
				if !strings.Contains(line, want[i]) {
					t.Errorf("line %d is\n%s\nwant in it\n%s", i, line, want[i])
				}
				if strings.Contains(line, "canary") || !strings.Contains(line, `"name"="a"`) {
					t.Errorf("line %d shows a value, or not whose it is: %s", i, line)
				}
			}
		})
	}
}

// A log that panics changes nothing of what a call has come to.
func TestAPanicOfTheCauseLogIsNoRetry(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var said atomic.Int32
		w.manager.logger = funcr.New(func(_, args string) {
			switch {
			case strings.Contains(args, `"msg"="Reconciled"`):
				panic("the log is full")
			case strings.Contains(args, "could not be shown") && strings.Contains(args, "the log is full"):
				said.Add(1)
			}
		}, funcr.Options{Verbosity: 0})
		var calls atomic.Int32
		w.servers[secret].Add(newObject(secret, "a"))
		synctest.Wait()
		reconciler := reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
			calls.Add(1)
			return reconcile.Result{}, nil
		})
		must(t, builder.ControllerManagedBy(w.manager).Named("full").For(&corev1.Secret{}).WithCauseLog(0).Complete(reconciler))
		w.start()
		w.awaitCalls(func() bool { return calls.Load() > 0 })
		time.Sleep(time.Hour)
		synctest.Wait()
		if calls.Load() != 1 || said.Load() != 1 {
			t.Errorf("the reconciler was called %d times, and the log says %d times why it is silent", calls.Load(), said.Load())
		}
	})
}
