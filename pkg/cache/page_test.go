package cache

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

func named(namespace, name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

func keysOf(objs []any) []delta.Key {
	keys := make([]delta.Key, len(objs))
	for i, obj := range objs {
		keys[i] = keyOf(obj)
	}
	return keys
}

func TestLowestFirstAgainstSort(t *testing.T) {
	seeds.Each(t, readSeeds, func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 1))
		objs := make([]any, rng.IntN(60))
		for i := range objs {
			objs[i] = named(fmt.Sprint(rng.IntN(3)), fmt.Sprint(rng.IntN(50)))
		}
		want := keysOf(objs)
		slices.SortFunc(want, delta.Key.Compare)
		n := rng.IntN(len(objs) + 1)
		lowestFirst(objs, n)
		if got := keysOf(objs[:n]); !slices.Equal(got, want[:n]) {
			t.Fatalf("the lowest %d are %v, want %v", n, got, want[:n])
		}
		sortByKey(objs)
		if got := keysOf(objs); !slices.Equal(got, want) {
			t.Fatalf("an object was lost: %v, want %v", got, want)
		}
	})
}

// modelList is a held list as the model has it.
type modelList struct {
	since     time.Time
	used      int // the step in which it was last used
	continued bool
	keys      []delta.Key
}

// TestHeldListsAgainstModel plays random lists in random time on the pure
// structure, and on a model that looks through all of its lists at every step.
func TestHeldListsAgainstModel(t *testing.T) {
	seeds.Each(t, readSeeds, func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 2))
		h := heldLists{limits: holdLimits{lists: 1 + rng.IntN(5), objects: 10 + rng.IntN(60), keep: time.Minute}}
		model := map[uint64]*modelList{}
		now := time.Unix(0, 0)
		for step := range 300 {
			now = now.Add(time.Duration(rng.IntN(20)) * time.Second)
			maps.DeleteFunc(model, func(_ uint64, l *modelList) bool { return now.Sub(l.since) >= time.Minute })
			if rng.IntN(2) == 0 {
				addToBoth(&h, model, now, step, rng)
			} else {
				useBoth(t, &h, model, now, step, rng)
			}
			compareHeld(t, &h, model, now)
		}
	})
}

func addToBoth(h *heldLists, model map[uint64]*modelList, now time.Time, step int, rng *rand.Rand) {
	objs := make([]any, 2+rng.IntN(20))
	for i := range objs {
		objs[i] = named("a", fmt.Sprintf("%04d", i))
	}
	keys := keysOf(objs)
	rng.Shuffle(len(objs), func(i, j int) { objs[i], objs[j] = objs[j], objs[i] })
	n := 1 + rng.IntN(len(objs)-1)
	lowestFirst(objs, n)
	l := &heldList{objs: objs, ordered: n}
	h.add(now, l)
	model[l.id] = &modelList{since: now, used: step, keys: keys}
	for len(model) > h.limits.lists || len(model) > 1 && modelSize(model) > h.limits.objects {
		delete(model, leastWanted(model, l.id))
	}
}

func modelSize(model map[uint64]*modelList) (size int) {
	for _, l := range model {
		size += len(l.keys)
	}
	return size
}

// leastWanted is never the newest, and one that was continued only if there is no
// other.
func leastWanted(model map[uint64]*modelList, newest uint64) (worst uint64) {
	for id, l := range model {
		if id == newest {
			continue
		}
		if w := model[worst]; w == nil || w.continued && !l.continued || w.continued == l.continued && l.used < w.used {
			worst = id
		}
	}
	return worst
}

func useBoth(t *testing.T, h *heldLists, model map[uint64]*modelList, now time.Time, step int, rng *rand.Rand) {
	t.Helper()
	id := uint64(rng.IntN(int(h.last) + 2))
	got, want := h.use(now, id), model[id]
	if (got == nil) != (want == nil) {
		t.Fatalf("list %d is held: %t, want %t", id, got != nil, want != nil)
	}
	if got == nil {
		return
	}
	want.used, want.continued = step, true
	from, limit := rng.IntN(len(want.keys)), rng.IntN(30)-1
	objs, end := got.cut(from, int64(limit))
	wantEnd := len(want.keys)
	if limit > 0 {
		wantEnd = min(wantEnd, from+limit)
	}
	if end != wantEnd || !slices.Equal(keysOf(objs), want.keys[from:wantEnd]) {
		t.Fatalf("list %d from %d, at most %d: got %v, want %v", id, from, limit, keysOf(objs), want.keys[from:wantEnd])
	}
}

func compareHeld(t *testing.T, h *heldLists, model map[uint64]*modelList, now time.Time) {
	t.Helper()
	wait := h.expire(now)
	var soonest time.Duration
	for _, l := range model {
		if left := time.Minute - now.Sub(l.since); soonest == 0 || left < soonest {
			soonest = left
		}
	}
	if len(h.lists) != len(model) || h.size != modelSize(model) || wait != soonest {
		t.Fatalf("%d lists of %d objects for another %v, want %d of %d for %v", len(h.lists), h.size, wait, len(model), modelSize(model), soonest)
	}
}

// pagesOf lists with a limit and returns the names and the token.
func pagesOf(t *testing.T, r *reader, opts ...client.ListOption) (names, token string, err error) {
	t.Helper()
	var list corev1.PodList
	if err := r.List(t.Context(), &list, opts...); err != nil {
		return "", "", err
	}
	for i := range list.Items {
		names += list.Items[i].Name
	}
	return names, list.Continue, nil
}

func TestTokensExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestReader(&corev1.Pod{}, nil)
		put(r, named("a", "1"), named("a", "2"), named("a", "3"))
		_, token, err := pagesOf(t, r, client.Limit(1))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(defaultHoldLimits.keep - time.Second)
		names, again, err := pagesOf(t, r, client.Limit(1), client.Continue(token))
		if err != nil || names != "2" {
			t.Fatalf("got %q, %v; want 2", names, err)
		}
		_, later, err := pagesOf(t, r, client.Limit(1))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if n := len(r.pages.lists.lists); n != 1 {
			t.Errorf("%d lists are held, want the one that is a second old", n)
		}
		if names, _, err := pagesOf(t, r, client.Continue(later)); err != nil || names != "23" {
			t.Errorf("got %q, %v; want 23", names, err)
		}
		time.Sleep(defaultHoldLimits.keep)
		synctest.Wait()
		if n := len(r.pages.lists.lists); n != 0 || r.pages.sweep != nil {
			t.Errorf("%d lists are held after their time, although nobody listed", n)
		}
		for _, old := range []string{token, again} {
			if _, _, err := pagesOf(t, r, client.Continue(old)); !apierrors.IsResourceExpired(err) {
				t.Errorf("%v, want it to be expired", err)
			}
		}
	})
}

func TestListsThatAreReadOnSurviveThoseThatAreNot(t *testing.T) {
	r := newTestReader(&corev1.Pod{}, nil)
	put(r, named("a", "1"), named("a", "2"), named("a", "3"))
	_, token, err := pagesOf(t, r, client.Limit(1))
	if err != nil {
		t.Fatal(err)
	}
	_, forgotten, err := pagesOf(t, r, client.Limit(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, token, err = pagesOf(t, r, client.Limit(1), client.Continue(token)); err != nil {
		t.Fatal(err)
	}
	for range 2 * defaultHoldLimits.lists {
		if _, _, err := pagesOf(t, r, client.Limit(1)); err != nil {
			t.Fatal(err)
		}
	}
	if names, _, err := pagesOf(t, r, client.Continue(token)); err != nil || names != "3" {
		t.Errorf("got %q, %v; want 3", names, err)
	}
	if _, _, err := pagesOf(t, r, client.Continue(forgotten)); !apierrors.IsResourceExpired(err) {
		t.Errorf("%v, want it to be expired", err)
	}
}

func TestPagesShowWhatTheFirstSaw(t *testing.T) {
	r := newTestReader(&corev1.Pod{}, nil)
	put(r, named("b", "1"), named("a", "2"), named("a", "1"), named("b", "2"), named("c", "1"))
	names, token, err := pagesOf(t, r, client.Limit(2))
	if err != nil || names != "12" {
		t.Fatalf("the first page has %q, %v", names, err)
	}
	remove(r, delta.Key{Namespace: "b", Name: "1"}, delta.Key{Namespace: "c", Name: "1"})
	put(r, named("b", "0"))
	var second corev1.PodList
	if err := r.List(t.Context(), &second, client.Limit(2), client.Continue(token)); err != nil {
		t.Fatal(err)
	}
	if got := second.Items; len(got) != 2 || got[0].Name != "1" || got[1].Name != "2" || *second.RemainingItemCount != 1 {
		t.Errorf("the second page is %+v", second)
	}
	if names, token, err := pagesOf(t, r, client.Continue(second.Continue)); err != nil || names != "1" || token != "" {
		t.Errorf("the last page has %q and token %q, %v", names, token, err)
	}
	// A list object that is used again keeps nothing of its last use.
	if err := r.List(t.Context(), &second); err != nil || second.RemainingItemCount != nil || second.Continue != pagesNotSupported {
		t.Errorf("after a list without limit: %v, %v, %q", err, second.RemainingItemCount, second.Continue)
	}
}

func TestLimitCountsWhatMatches(t *testing.T) {
	r := newTestReader(&corev1.Pod{}, nil)
	for i := range 20 {
		pod := named("a", fmt.Sprint(i))
		pod.Labels = map[string]string{"odd": fmt.Sprint(i % 2)}
		put(r, pod)
	}
	var list corev1.PodList
	if err := r.List(t.Context(), &list, client.MatchingLabels{"odd": "1"}, client.Limit(4)); err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != 4 || *list.RemainingItemCount != 6 {
		t.Errorf("%d items and %v left, want 4 and 6", len(list.Items), *list.RemainingItemCount)
	}
	for i := range list.Items {
		if list.Items[i].Labels["odd"] != "1" {
			t.Errorf("%s does not match", list.Items[i].Name)
		}
	}
	// Exactly as many as there are is the last page.
	if err := r.List(t.Context(), &list, client.MatchingLabels{"odd": "1"}, client.Limit(10)); err != nil || len(list.Items) != 10 || list.Continue != "" {
		t.Errorf("%d items and token %q, %v; want 10 and none", len(list.Items), list.Continue, err)
	}
}

func TestContinuedWithOtherOptions(t *testing.T) {
	fields := byField{"name": func(obj client.Object) []string { return []string{obj.GetName()} }}
	r := newTestReader(&corev1.Pod{}, fields)
	put(r, named("a", "1"), named("a", "2"), named("a", "3"))
	other := newTestReader(&corev1.Pod{}, fields)
	other.pages = r.pages
	_, token, err := pagesOf(t, r, client.InNamespace("a"), client.MatchingLabelsSelector{Selector: mustLabels(t, "!b,!c")}, client.Limit(1))
	if err != nil {
		t.Fatal(err)
	}
	same := []client.ListOption{client.InNamespace("a"), client.MatchingLabelsSelector{Selector: mustLabels(t, "!c,!b")}, client.Continue(token)}
	for _, tt := range []struct {
		name string
		of   *reader
		opts []client.ListOption
		bad  bool
	}{
		{name: "the same in other words", of: r, opts: same},
		{name: "another limit", of: r, opts: append(same[:3:3], client.Limit(2))},
		{name: "shared objects", of: r, opts: append(same[:3:3], client.UnsafeDisableDeepCopy)},
		{name: "another namespace", of: r, opts: append(same[:3:3], client.InNamespace("b")), bad: true},
		{name: "all namespaces", of: r, opts: append(same[:3:3], client.InNamespace("")), bad: true},
		{name: "another selector", of: r, opts: append(same[:3:3], client.MatchingLabels{"x": "y"}), bad: true},
		{name: "a field selector", of: r, opts: append(same[:3:3], client.MatchingFields{"name": "1"}), bad: true},
		{name: "another kind", of: other, opts: same, bad: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			names, _, err := pagesOf(t, tt.of, tt.opts...)
			if tt.bad && !apierrors.IsBadRequest(err) {
				t.Errorf("got %q, %v; want an error", names, err)
			}
			if !tt.bad && (err != nil || names != "23") {
				t.Errorf("got %q, %v; want 23", names, err)
			}
		})
	}
	behind := pageToken{process: r.pages.process, list: r.pages.lists.last, from: 3}.String()
	if _, _, err := pagesOf(t, r, append(same[:2:2], client.Continue(behind))...); !apierrors.IsBadRequest(err) {
		t.Errorf("a token that points behind the end: %v", err)
	}
}

func FuzzPageToken(f *testing.F) {
	for _, text := range []string{"", "delta1.1.2.3", "delta1.0.0.0", "delta1.ffffffffffffffff.1.ffffffffffffffff", "delta1.01.2.3", "delta1.A.2.3", "delta1.1.2.3.4", "delta1.1.2", "delta2.1.2.3", "continue-not-supported", "delta1.+1.2.3"} {
		f.Add(text)
	}
	r := newTestReader(&corev1.Pod{}, nil)
	f.Fuzz(func(t *testing.T, text string) {
		token, ok := parsePageToken(text)
		if ok && (token.String() != text || token.from < 0) {
			t.Errorf("%q was read as %q", text, token)
		}
		if text == "" {
			return
		}
		_, _, err := pagesOf(t, r, client.Continue(text))
		if ok != apierrors.IsResourceExpired(err) || ok == apierrors.IsBadRequest(err) {
			t.Errorf("%q, which is a token: %t, led to %v", text, ok, err)
		}
	})
}
