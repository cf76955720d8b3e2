package cache

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Every batch gives all Pods the number of a round, so that a reader can tell an
// answer that mixes two commits.
const racingPods = 60

func racingBatch(round int) []*corev1.Pod {
	pods := make([]*corev1.Pod, racingPods)
	for i := range pods {
		pods[i] = named([]string{"a", "b"}[i%2], fmt.Sprintf("%02d", i))
		pods[i].Labels = map[string]string{"round": strconv.Itoa(round), "third": strconv.Itoa(i % 3), "all": "yes"}
		pods[i].ResourceVersion = strconv.Itoa(round*racingPods + i)
	}
	return pods
}

func TestAnswersShowOneCommit(t *testing.T) {
	label := func(name string) client.IndexerFunc {
		return func(obj client.Object) []string { return []string{obj.GetLabels()[name]} }
	}
	r := newTestReader(&corev1.Pod{}, byField{"all": label("all"), "third": label("third")})
	put(r, racingBatch(0)...)
	var done atomic.Bool
	var readers sync.WaitGroup
	for _, read := range []struct {
		opts []client.ListOption
		want int
	}{
		{nil, racingPods},
		{[]client.ListOption{client.InNamespace("a")}, racingPods / 2},
		{[]client.ListOption{client.MatchingLabels{"third": "1"}, client.InNamespace("b")}, racingPods / 6},
		{[]client.ListOption{client.MatchingFields{"all": "yes", "third": "2"}}, racingPods / 3},
		{[]client.ListOption{client.MatchingFields{"all": "yes"}, client.MatchingLabels{"third": "0"}}, racingPods / 3},
		{[]client.ListOption{client.MatchingLabels{"third": "1"}, client.Limit(7)}, 7},
	} {
		readers.Go(func() {
			for !done.Load() {
				if err := oneCommit(t, r, read.want, read.opts); err != nil {
					t.Errorf("list %v: %v", read.opts, err)
					return
				}
			}
		})
	}
	readers.Go(func() {
		for last := 0; !done.Load(); {
			var out corev1.Pod
			if err := r.Get(t.Context(), client.ObjectKey{Namespace: "a", Name: "00"}, &out); err != nil {
				t.Error(err)
				return
			}
			round, _ := strconv.Atoi(out.Labels["round"])
			if round < last {
				t.Errorf("read round %d after round %d", round, last)
				return
			}
			last = round
		}
	})
	for round := range 300 {
		put(r, racingBatch(round+1)...)
	}
	done.Store(true)
	readers.Wait()
}

// oneCommit lists, and changes what it got, which must not matter to anybody.
func oneCommit(t *testing.T, r *reader, want int, opts []client.ListOption) error {
	seen := map[delta.Key]bool{}
	var list corev1.PodList
	if err := r.List(t.Context(), &list, opts...); err != nil {
		return err
	}
	for i := range list.Items {
		pod := &list.Items[i]
		seen[keyOf(pod)] = true
		if round := list.Items[0].Labels["round"]; i > 0 && pod.Labels["round"] != "spoilt "+round && "spoilt "+pod.Labels["round"] != round {
			return fmt.Errorf("%s is of round %s, the first is of %s", pod.Name, pod.Labels["round"], round)
		}
		pod.Labels["round"] = "spoilt " + pod.Labels["round"]
	}
	if len(seen) != want {
		return fmt.Errorf("got %d Pods, want %d", len(seen), want)
	}
	return nil
}

func named(namespace, name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}
