package hotloop

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/ledger"
	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/samples"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

// brawl is two managers that fight over the data of an object without managed fields. A
// transform has removed them, and the writer was read off before.
type brawl struct {
	watch   *Watch[int]
	request int
	now     time.Time
	version int
	last    *corev1.Secret
	what    Verdict
	episode Episode[int]
}

func newBrawl(deferred bool) *brawl {
	return &brawl{watch: New[int](deferred), now: time.Unix(1_900_000_000, 0)}
}

// strike is one write, and the call that follows it.
func (b *brawl) strike(value, by string, after time.Duration) {
	b.now = b.now.Add(after)
	b.version++
	next := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "s", UID: "u", ResourceVersion: fmt.Sprint(b.version)}}
	next.Data = map[string][]byte{"key": []byte("secret " + value), "other": []byte("x")}
	change := delta.Change{Cause: delta.Primary, Kind: secretKind, Key: delta.Key{Namespace: "shop", Name: "s"}, Op: delta.Added, New: next}
	if b.last != nil {
		change.Op, change.Old = delta.Updated, b.last
	}
	change.Origin = &delta.Origin{Manager: by, Operation: "Update", Time: b.now}
	b.last = next
	b.episode, b.what = b.watch.Called(b.request, delta.NewChanges(change), b.now)
}

func (b *brawl) rounds(n int, pace time.Duration) {
	for range n {
		b.strike("one", "a", pace/2)
		b.strike("two", "b", pace/2)
	}
}

// quietly is a call without a change.
func (b *brawl) quietly(after time.Duration) {
	b.now = b.now.Add(after)
	b.episode, b.what = b.watch.Called(b.request, delta.NewChanges(delta.Change{Cause: delta.Timer}), b.now)
}

func TestAnEpisodeFromBeginToEnd(t *testing.T) {
	b := newBrawl(false)
	var said []Verdict
	for range 10 {
		b.strike("one", "a", time.Minute)
		said = append(said, b.what)
		b.strike("two", "b", time.Minute)
		said = append(said, b.what)
	}
	if i := slices.Index(said, Found); i < 10 || i > 13 || slices.Contains(said[:i], Continues) || slices.ContainsFunc(said[i+1:], func(v Verdict) bool { return v != Continues }) {
		t.Errorf("the verdicts are %d", said)
	}
	if b.episode.Rounds < 8 || b.episode.Rounds > 10 || !slices.Equal(b.episode.Paths, []string{"data.key"}) {
		t.Errorf("after ten rounds the episode is %+v", b.episode)
	}
	if b.quietly(5 * time.Minute); b.what != Continues { // a round takes two
		t.Errorf("after 5 minutes the verdict is %d", b.what)
	}
	if b.quietly(3 * time.Minute); b.what != Over || b.episode.Ended.After(b.now) || b.episode.Ended.Before(b.now.Add(-3*time.Minute)) {
		t.Errorf("after 8 minutes the verdict is %d of %+v", b.what, b.episode)
	}
	if b.quietly(time.Second); b.what != Calm {
		t.Errorf("after the end the verdict is %d", b.what)
	}
	b.rounds(3, 2*time.Minute)
	if b.what != Calm {
		t.Errorf("after three rounds more the verdict is %d", b.what)
	}
	b.rounds(4, 2*time.Minute)
	if b.what != Continues || len(b.watch.Episodes(b.now)) != 2 {
		t.Errorf("after seven rounds more the verdict is %d, with %+v", b.what, b.watch.Episodes(b.now))
	}
}

func TestAFastEpisodeLastsAMinute(t *testing.T) {
	b := newBrawl(false)
	b.rounds(10, 10*time.Millisecond)
	ended := func() bool { return !b.watch.Episodes(b.now)[0].Ended.IsZero() }
	if b.now = b.now.Add(59 * time.Second); ended() {
		t.Error("it ends within a minute")
	}
	if b.now = b.now.Add(2 * time.Second); !ended() {
		t.Error("it goes on after a minute")
	}
}

// TestAHeldBackEpisodeGoesOn holds the request back for as long as Defer says.
func TestAHeldBackEpisodeGoesOn(t *testing.T) {
	b := newBrawl(true)
	b.rounds(10, time.Second)
	for range 10 {
		b.strike("one", "a", Defer(b.episode))
		b.strike("two", "b", Defer(b.episode))
	}
	if b.what != Continues || len(b.watch.Episodes(b.now)) != 1 {
		t.Errorf("the verdict is %d, with %+v", b.what, b.watch.Episodes(b.now))
	}
}

func TestDefer(t *testing.T) {
	for rounds, want := range map[int]time.Duration{5: time.Second, 6: 2 * time.Second, 8: 8 * time.Second, 13: 256 * time.Second, 14: 5 * time.Minute, 5000: 5 * time.Minute} {
		if got := Defer(Episode[int]{Rounds: rounds, found: 5}); got != want {
			t.Errorf("after %d rounds it is %v, want %v", rounds, got, want)
		}
	}
}

func TestValuesAreNotKept(t *testing.T) {
	b := newBrawl(false)
	b.rounds(10, time.Second)
	text, err := json.Marshal(b.episode)
	if shown := fmt.Sprintf("%+v %s", b.episode, text); err != nil || strings.Contains(shown, "secret ") {
		t.Errorf("an episode shows %s", shown)
	}
}

// TestFew has the table be small: a request that is called rarely is dropped first, and what ended stays.
func TestFew(t *testing.T) {
	b := newBrawl(false)
	b.watch.requests.most = 3
	for i := range 100 {
		b.request, b.last = i, nil
		b.rounds(8, time.Second)
	}
	if n := len(b.watch.requests.byRequest); n != 3 {
		t.Errorf("%d requests are watched", n)
	}
	all := b.watch.Episodes(b.now)
	if len(all) != 3+remembered || all[0].Request != 99 || all[3].Request != 96 || !all[0].Ended.IsZero() || all[3].Ended.IsZero() {
		t.Errorf("there are %d episodes, the first %+v", len(all), all[0])
	}
}

// TestIdleRequestsAreLetGo has many requests that are called often, and then others.
func TestIdleRequestsAreLetGo(t *testing.T) {
	b := newBrawl(false)
	var pinned []weak.Pointer[corev1.Secret]
	for i := range 1000 {
		b.request, b.last = i, nil
		b.rounds(8, time.Second)
		pinned = append(pinned, weak.Make(b.last))
	}
	began := b.now
	b.request, b.last = -1, nil
	for b.now.Sub(began) < 3*time.Hour { // nothing happens but calls of one
		b.quietly(time.Minute)
	}
	if n := len(b.watch.requests.byRequest); n != 1 {
		t.Errorf("%d requests are watched", n)
	}
	await.Until(t, "all objects to be let go of requests that nobody calls", func() bool {
		runtime.GC()
		return !slices.ContainsFunc(pinned, func(p weak.Pointer[corev1.Secret]) bool { return p.Value() != nil })
	})
	runtime.KeepAlive(b)
}

// TestTwoFightsAtOnce has two pairs fight over one object.
func TestTwoFightsAtOnce(t *testing.T) {
	w := newWorld(t, rand.New(rand.NewPCG(1, 0)))
	at := delta.Key{Namespace: "shop", Name: "web"}
	w.create(siteKind, at, "kubectl", set{"spec/a": "0", "spec/b": "0"})
	for i := range 20 {
		w.pass(time.Second)
		w.write(at, []string{"argocd", "helm"}[i%2], set{"spec/a": []string{"1", "2"}[i%2]})
		w.write(at, []string{"hpa", "user"}[i%2], set{"spec/b": []string{"1", "2"}[i%2]})
		w.call()
	}
	if len(w.found) != 2 || fmt.Sprint(w.found[0].Managers, w.found[0].Paths, w.found[1].Managers, w.found[1].Paths) != "[argocd helm] [spec.a] [hpa user] [spec.b]" {
		t.Errorf("found is %+v", w.found)
	}
}

// TestTypedObjectsWithSchemas has two managers fight over a container's image.
func TestTypedObjectsWithSchemas(t *testing.T) {
	kind := schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	for name, schemas := range map[string]diff.Schemas{"by schema": samples.Builtin, "without": nil} {
		books := delta.NewLedger[string](delta.LedgerOptions{Schemas: schemas})
		watch := New[string](false)
		now := time.Unix(1_900_000_000, 0)
		var before *appsv1.Deployment
		var found []Episode[string]
		for i := range 20 {
			after := samples.Web(func(d *appsv1.Deployment) {
				d.UID, d.ResourceVersion = "u", fmt.Sprint(100+i)
				d.Spec.Template.Spec.Containers[0].Image = fmt.Sprint("web:", i%2)
				d.Spec.Template.Spec.Containers[1].Image = fmt.Sprint("side:", i)
				second := metav1.NewTime(now.Truncate(time.Second))
				for j, image := range []string{"app", "side"} {
					fields := fieldsOf(fieldpath.NewSet(pathOf("spec/template/spec/containers/name=" + image + "/image")))
					d.ManagedFields = append(d.ManagedFields, metav1.ManagedFieldsEntry{Manager: []string{"argocd", "helm", "builder"}[max(2*j, i%2)], Operation: "Apply", Time: &second, FieldsV1: fields})
				}
			})
			if before != nil {
				books.Clerk().Record("r", delta.Change{Cause: delta.Primary, Kind: kind, Key: delta.Key{Namespace: "shop", Name: "web"}, Op: delta.Updated, Old: before, New: after, First: now, Last: now})
				books.Clerk().Landed("r")
				if e, verdict := watch.Called("r", books.Clerk().Take("r"), now); verdict == Found {
					found = append(found, e)
				}
				books.Clerk().Settle("r", ledger.Succeeded)
			}
			before, now = after, now.Add(20*time.Millisecond)
		}
		if want := `[spec.template.spec.containers[name="app"].image] [argocd helm]`; len(found) != 1 || fmt.Sprint(found[0].Paths, found[0].Managers) != want {
			t.Errorf("%s: found is %+v", name, found)
		}
	}
}

// TestManyAtOnce is for the race detector.
func TestManyAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		watch := New[int](false)
		watch.requests.most = 4
		g := lifecycle.New(t.Context())
		for worker := range 4 {
			g.Guest("worker", func(context.Context) {
				b := newBrawl(false)
				b.watch, b.request = watch, worker/2 // two have the same request
				b.rounds(50, time.Second)
				watch.Episodes(b.now)
			})
		}
		g.Guest("reader", func(context.Context) {
			for range 100 {
				watch.Episodes(time.Unix(1_900_000_000, 0))
			}
		})
		synctest.Wait()
		g.Stop()
		if err := g.Wait(); err != nil {
			t.Error(err)
		}
	})
}

// TestWhatIsToldAgainCountsOnce has a controller that settles nothing, so that each call is told everything again: an object
// that was deleted and created again, and a fight over it that is over.
func TestWhatIsToldAgainCountsOnce(t *testing.T) {
	w := newWorld(t, rand.New(rand.NewPCG(1, 0)))
	w.fails = func() bool { return true }
	other := delta.Key{Namespace: "shop", Name: "other"}
	w.create(siteKind, other, "kubectl", set{"spec/text": "0"})
	w.create(siteKind, web, "helm", set{"spec/replicas": "1"})
	w.call()
	w.remove(web)
	w.call()
	w.create(siteKind, web, "helm", set{"spec/replicas": "1"})
	w.fight(20)
	rounds := func() int {
		all := w.watch.Episodes(w.now)
		if len(all) != 1 {
			t.Fatalf("the episodes are %+v", all)
		}
		return all[0].Rounds
	}
	before := rounds()
	if before < 5 || before > 10 {
		t.Errorf("of 10 rounds %d are counted", before)
	}
	for i := range 10 {
		w.write(other, "kubectl", set{"spec/text": fmt.Sprint(i + 1)})
		w.call()
	}
	if after := rounds(); after != before {
		t.Errorf("%d rounds are counted, and %d when all was told again", before, after)
	}
}
