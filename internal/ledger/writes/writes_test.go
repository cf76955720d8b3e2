package writes_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/ledger/writes"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// step is one write of an object, and what its client knows of it.
type step struct {
	uid     types.UID
	from    string
	version string // empty: it was deleted
	known   bool   // we wrote it, and know what we wrote over
	at      int    // of all that we know, in which place it was noted
}

// history is the model of Writes: everything that was ever written, in order.
type history struct {
	steps []step
	noted int
}

// remembers is false for what is too long ago.
func (h *history) remembers(s step, limit int) bool { return s.known && s.at > h.noted-limit }

// made looks at every write of the object after from, up to and including to.
func (h *history) made(uid types.UID, from, to string, limit int) bool {
	passed, all := from == "", false
	for _, s := range h.steps {
		if s.uid != uid || s.version == "" {
			continue
		}
		if passed {
			if !h.remembers(s, limit) {
				return false
			}
			if all = s.version == to; all {
				break
			}
		}
		passed = passed || s.version == from
	}
	return all
}

func (h *history) deleted(uid types.UID, limit int) bool {
	for _, s := range h.steps {
		if s.uid == uid && s.version == "" && h.remembers(s, limit) {
			return true
		}
	}
	return false
}

// write plays one write of a server's object, by us or by somebody else.
func (h *history) write(rng *rand.Rand, w *writes.Writes, current map[types.UID]string) {
	uid := types.UID(fmt.Sprint("uid-", rng.IntN(4)))
	s := step{uid: uid, from: current[uid], version: fmt.Sprint(len(h.steps) + 1), known: rng.IntN(4) > 0}
	if s.from == "gone" {
		return // a UID does not come back
	}
	if s.from != "" && rng.IntN(20) == 0 {
		s.version = ""
	}
	if s.known {
		h.noted++
		s.at = h.noted
		if s.version == "" {
			w.WroteLast(uid)
		} else {
			w.Wrote(uid, s.from, s.version)
		}
	}
	h.steps = append(h.steps, s)
	if current[uid] = s.version; s.version == "" {
		current[uid] = "gone"
	}
}

func TestWritesAgainstModel(t *testing.T) {
	seeds.Run(t, 300, func(t *testing.T, rng *rand.Rand) {
		limit := 1 + rng.IntN(30)
		w := writes.New(limit)
		h, current := &history{}, map[types.UID]string{}
		for range 100 {
			h.write(rng, w, current)
			uid := types.UID(fmt.Sprint("uid-", rng.IntN(4)))
			from, to := anyVersion(rng, h, uid), anyVersion(rng, h, uid)
			if got, want := w.Made(uid, from, to), from != to && h.made(uid, from, to, limit); got != want {
				t.Fatalf("Made(%s, %q, %q) is %v, want %v, of the last %d in %+v", uid, from, to, got, want, limit, h.steps)
			}
			if got, want := w.Deleted(uid), h.deleted(uid, limit); got != want {
				t.Fatalf("Deleted(%s) is %v, want %v, of the last %d in %+v", uid, got, want, limit, h.steps)
			}
			if got := w.Status(); got.Remembered != min(h.noted, limit) || got.UnderWay != 0 {
				t.Fatalf("it holds %+v after %d writes, and may hold %d", got, h.noted, limit)
			}
		}
	})
}

// anyVersion is one of the object's, its neighbours more often than not, or that of no
// object.
func anyVersion(rng *rand.Rand, h *history, uid types.UID) string {
	all := []string{"", "none"}
	for _, s := range h.steps {
		if s.uid == uid && s.version != "" {
			all = append(all, s.version)
		}
	}
	return all[max(rng.IntN(len(all)), len(all)-1-rng.IntN(8))]
}

func TestWritesThatNoteNothing(t *testing.T) {
	w := writes.New(0)
	w.Wrote("uid", "7", "7") // changed nothing, so 7 may be anybody's
	w.Wrote("uid", "7", "")
	w.Wrote("", "7", "8") // could be anybody's
	w.WroteLast("")
	if got := w.Status(); got != (writes.Status{}) {
		t.Errorf("it holds %+v", got)
	}
	if w.Made("uid", "7", "7") || w.Made("", "7", "8") || w.Deleted("") {
		t.Error("it claims what is not known")
	}
	w.Wrote("uid", "8", "9") // a server whose versions go in circles
	w.Wrote("uid", "9", "8")
	if w.Made("uid", "1", "9") {
		t.Error("it claims what has no beginning")
	}
	w.WroteLast("uid")
	if w.Made("uid", "1", "") {
		t.Error("it takes a deletion for a version")
	}
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name}}
}

func podsOnly(delta.Object) (schema.GroupVersionKind, error) {
	return corev1.SchemeGroupVersion.WithKind("Pod"), nil
}

// TestSettledWaitsForWhatIsUnderWay checks for whose answers an event waits.
func TestSettledWaitsForWhatIsUnderWay(t *testing.T) {
	pods, services := schema.GroupKind{Kind: "Pod"}, schema.GroupKind{Kind: "Service"}
	web := delta.Key{Namespace: "team", Name: "web"}
	generated := pod("web-abcde")
	generated.GenerateName = "web-"
	for name, tt := range map[string]struct {
		kind  schema.GroupKind
		key   delta.Key
		obj   *corev1.Pod
		waits bool
	}{
		"its own":            {pods, web, pod("web"), true},
		"another object's":   {pods, delta.Key{Namespace: "team", Name: "db"}, pod("web"), false},
		"another namespace":  {pods, delta.Key{Namespace: "home", Name: "web"}, pod("web"), false},
		"another kind's":     {services, web, pod("web"), false},
		"of an unknown kind": {schema.GroupKind{}, web, pod("web"), true},
		"yet to be named":    {pods, writes.Unnamed("team", "web-"), generated, true},
		"named by somebody":  {pods, writes.Unnamed("team", "web-"), pod("web-abcde"), false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := writes.New(0)
				w.KnowKinds(podsOnly)
				answered := w.Begin(tt.kind, tt.key)
				defer time.AfterFunc(time.Second, func() {
					w.Wrote("uid", "1", "2")
					answered()
					answered() // does nothing
				}).Stop()
				start := time.Now()
				if err := w.Settled(t.Context(), tt.obj); err != nil {
					t.Fatal(err)
				}
				if waited := time.Since(start) > 0; waited != tt.waits || tt.waits && !w.Made("uid", "1", "2") {
					t.Errorf("waited: %v, want %v, and what came of it has to be known then", waited, tt.waits)
				}
				time.Sleep(2 * time.Second)
				if got := w.Status().UnderWay; got != 0 {
					t.Errorf("%d writes are under way that have been answered", got)
				}
			})
		})
	}
}

func TestSettledEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := writes.New(0)
		defer w.Begin(schema.GroupKind{Kind: "Service"}, delta.Key{Namespace: "team", Name: "web"})()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := w.Settled(ctx, pod("web")); err == nil { // without KindOf it may be this one
			t.Error("nobody has answered, and it does not say so")
		}
	})
}

// TestSettledWaitsForNoLaterWrite lets writes follow each other without a pause.
func TestSettledWaitsForNoLaterWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := writes.New(0)
		web := delta.Key{Namespace: "team", Name: "web"}
		first := w.Begin(schema.GroupKind{}, web)
		tasks := lifecycle.New(t.Context())
		err := errors.New("it still waits")
		tasks.Guest("event", func(ctx context.Context) { err = w.Settled(ctx, pod("web")) })
		synctest.Wait()
		defer w.Begin(schema.GroupKind{}, web)()
		first()
		synctest.Wait()
		if err != nil {
			t.Error(err)
		}
		tasks.Stop()
		if err := tasks.Wait(); err != nil {
			t.Error(err)
		}
	})
}

// TestClientsShareWrites has some write and others ask; it is for the race detector.
func TestClientsShareWrites(t *testing.T) {
	const clients, rounds = 4, 200
	w := writes.New(clients * rounds)
	w.KnowKinds(podsOnly)
	tasks := lifecycle.New(t.Context())
	var busy sync.WaitGroup
	busy.Add(clients)
	for client := range clients {
		uid := types.UID(fmt.Sprint(client))
		web := pod("web")
		web.UID = uid
		tasks.Guest("client "+string(uid), func(ctx context.Context) {
			defer busy.Done()
			for i := range rounds {
				answered := w.Begin(schema.GroupKind{Kind: "Pod"}, delta.Key{Namespace: "team", Name: "web"})
				w.Wrote(uid, fmt.Sprint(i), fmt.Sprint(i+1))
				answered()
				if err := w.Settled(ctx, web); err != nil || !w.Made(uid, "0", fmt.Sprint(i+1)) {
					t.Errorf("client %s does not know what it wrote (%v)", uid, err)
				}
				w.Deleted(uid)
				w.Status()
			}
		})
	}
	busy.Wait()
	tasks.Stop()
	if err := tasks.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := w.Status(); got != (writes.Status{Remembered: clients * rounds}) {
		t.Errorf("it holds %+v", got)
	}
}
