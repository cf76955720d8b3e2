package source_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// held is a handler that waits when it gets an object of version "wait".
type held struct {
	handler.TypedEventHandler[*podObject, request]
	free chan struct{}
}

func (h held) Update(ctx context.Context, e event.TypedUpdateEvent[*podObject], q queue) {
	if e.ObjectNew.Labels["version"] == "wait" {
		<-h.free
	}
	h.TypedEventHandler.Update(ctx, e, q)
}

// A reconciler may have read a state from the server that our watch could not take. If that
// state is undone afterwards, the update that shows the old state again touches everything,
// also if the reconciler has succeeded in between.
func TestAStateThatATransformRefusedIsTouched(t *testing.T) {
	reportErrorsAtOnce(t)
	for name, tt := range map[string]struct {
		tell   handler.TypedEventHandler[*podObject, request]
		behind bool
	}{
		"by key":                             {forPods(), false},
		"by content":                         {held{forPods(), nil}, false},
		"by content, and the handler behind": {held{forPods(), make(chan struct{})}, true},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
				pods := newInformer(server)
				must(t, pods.SetTransform(func(obj any) (any, error) {
					if p := obj.(*podObject); p.Labels["version"] == "bad" {
						return nil, errors.New("as the test wants it")
					}
					return obj, nil
				}))
				server.Add(pinned("1", "a"))
				server.Add(pod("other", "1"))
				run(pods.RunWithContext)
				if h, ok := tt.tell.(held); ok {
					h.free = make(chan struct{}) // a channel of the bubble
					tt.tell = h
				}
				ledger := delta.NewLedger[request](delta.LedgerOptions{})
				startedSynced(t, ledgered(holding(pods), ledger, tt.tell), newQueue(t))
				take(ledger, "web")
				server.Modify(pinned("2", "a"))
				synctest.Wait()
				take(ledger, "web")
				if tt.behind {
					server.Modify(pod("other", "wait"))
					server.Modify(pinned("3", "a"))
					synctest.Wait()
				}
				server.Modify(pinned("bad", "b"))
				synctest.Wait()
				if tt.behind {
					close(tt.tell.(held).free)
					synctest.Wait()
				}
				ledger.Clerk().Record(asked("web"), delta.Change{Cause: delta.Generic})
				ledger.Clerk().Landed(asked("web"))
				if got := take(ledger, "web"); got.Complete() { // a reconciler could read node b from the server now
					t.Fatalf("a refused state does not count as a gap: %s", got)
				}
				for _, step := range []struct {
					version string
					knows   bool
				}{{"4", false}, {"5", true}} {
					server.Modify(pinned(step.version, "a"))
					time.Sleep(time.Minute)
					synctest.Wait()
					got := take(ledger, "web")
					if got.Complete() != step.knows || got.Touches("spec") == step.knows {
						t.Errorf("at version %s it is told %s, which touches the spec: %t", step.version, got, got.Touches("spec"))
					}
					for change := range got.All() {
						if change.Relisted == step.knows {
							t.Errorf("at version %s: %s says that a relist showed it: %t", step.version, change, change.Relisted)
						}
					}
				}
			})
		})
	}
}
