package source_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/pkg/source"
)

// events calls a handler for one event of each kind.
func events(h toolscache.ResourceEventHandler) {
	h.OnAdd(pod("web", "1"), false)
	h.OnAdd(pod("web", "1"), true)
	h.OnUpdate(pod("web", "1"), pod("web", "2"))
	h.OnDelete(pod("web", "2"))
	h.OnDelete(toolscache.DeletedFinalStateUnknown{Key: "team/web", Obj: pod("web", "2")})
}

func TestEventHandlerTellsEachEvent(t *testing.T) {
	var told []string
	events(source.NewEventHandler[*corev1.Pod, request](t.Context(), nil, recording(func(what string) { told = append(told, what) }), nil))
	if want := []string{"create web", "initial web", "update web 1→2", "delete web", "gone web"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

// TestEventHandlerLeavesOutWhatIsNoObject gives it what no informer should.
func TestEventHandlerLeavesOutWhatIsNoObject(t *testing.T) {
	h := source.NewEventHandler[*corev1.Pod, request](t.Context(), nil, recording(func(what string) { t.Errorf("told %q", what) }), nil)
	for _, wrong := range []any{nil, "pod", &metav1.ObjectMeta{}, &corev1.Node{}, (*corev1.PodList)(nil)} {
		h.OnAdd(wrong, false)
		h.OnUpdate(wrong, pod("web", "2"))
		h.OnUpdate(pod("web", "1"), wrong)
		h.OnDelete(wrong)
		h.OnDelete(toolscache.DeletedFinalStateUnknown{Key: "team/web", Obj: wrong})
	}
}

// TestPredicatesAreAskedInOrder has predicates that write down that they were asked.
func TestPredicatesAreAskedInOrder(t *testing.T) {
	for answers, want := range map[[3]bool][]string{
		{true, true, true}:   {"0", "1", "2", "told"},
		{true, false, true}:  {"0", "1"},
		{false, true, true}:  {"0"},
		{true, true, false}:  {"0", "1", "2"},
		{false, false, true}: {"0"},
	} {
		t.Run(fmt.Sprint(answers), func(t *testing.T) {
			var order []string
			var predicates []predicate.TypedPredicate[*corev1.Pod]
			for i, answer := range answers {
				ask := func() bool {
					order = append(order, fmt.Sprint(i))
					return answer
				}
				predicates = append(predicates, predicate.TypedFuncs[*corev1.Pod]{
					CreateFunc: func(event.TypedCreateEvent[*corev1.Pod]) bool { return ask() },
					UpdateFunc: func(event.TypedUpdateEvent[*corev1.Pod]) bool { return ask() },
					DeleteFunc: func(event.TypedDeleteEvent[*corev1.Pod]) bool { return ask() },
				})
			}
			h := source.NewEventHandler[*corev1.Pod, request](t.Context(), nil, recording(func(string) { order = append(order, "told") }), predicates)
			for name, call := range map[string]func(){
				"create": func() { h.OnAdd(pod("web", "1"), false) },
				"update": func() { h.OnUpdate(pod("web", "1"), pod("web", "2")) },
				"delete": func() { h.OnDelete(pod("web", "2")) },
			} {
				order = nil
				if call(); !slices.Equal(order, want) {
					t.Errorf("%s: called %q, want %q", name, order, want)
				}
			}
		})
	}
}

// TestContextOfACallEndsWithIt also looks that it is the source's while it lasts.
func TestContextOfACallEndsWithIt(t *testing.T) {
	type mark struct{}
	var calls []context.Context
	note := func(ctx context.Context) {
		if ctx.Err() != nil || ctx.Value(mark{}) != "source" {
			t.Error("the handler was called with a context that has ended, or is not the source's")
		}
		calls = append(calls, ctx)
	}
	events(source.NewEventHandler[*corev1.Pod, request](context.WithValue(t.Context(), mark{}, "source"), nil, funcs{
		CreateFunc: func(ctx context.Context, _ event.TypedCreateEvent[*corev1.Pod], _ queue) { note(ctx) },
		UpdateFunc: func(ctx context.Context, _ event.TypedUpdateEvent[*corev1.Pod], _ queue) { note(ctx) },
		DeleteFunc: func(ctx context.Context, _ event.TypedDeleteEvent[*corev1.Pod], _ queue) { note(ctx) },
	}, nil))
	for i, ctx := range calls {
		if ctx.Err() == nil {
			t.Errorf("the context of call %d is alive when the handler has returned", i)
		}
	}
	if len(calls) != 5 {
		t.Errorf("%d calls, want 5", len(calls))
	}
}
