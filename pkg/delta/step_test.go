package delta_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// ran reports whether the step runs with these changes, and checks that its report says so.
func ran(t *testing.T, changes delta.Changes, step func(delta.Step) delta.Step) bool {
	t.Helper()
	ctx := delta.NewContext(t.Context(), changes)
	did := false
	if err := step(delta.Plan(ctx)).Do("it", func(context.Context) error { did = true; return nil }); err != nil {
		t.Errorf("a step without a reason to fail: %v", err)
	}
	reports := delta.Steps(ctx)
	if len(reports) != 1 || reports[0].Name != "it" || reports[0].Skipped == did || reports[0].Err != nil || (reports[0].Because() != "") != did {
		t.Errorf("a step that ran: %t has the reports %q", did, reports)
	}
	return did
}

// ownStatus is a change of the status of a Deployment.
func ownStatus(name string) delta.Change {
	before := deployment(3)
	before.Name, before.Namespace, before.UID, before.ResourceVersion = name, "team", "uid", "7"
	after := before.DeepCopy()
	after.ResourceVersion, after.Status.ReadyReplicas = "8", 3
	return delta.Change{Cause: delta.Owned, Op: delta.Updated, Old: before, New: after}
}

func TestAStepRunsUnlessItIsRuledOut(t *testing.T) {
	replicas := func(s delta.Step) delta.Step { return s.On(&appsv1.Deployment{}, "spec.replicas", "metadata.labels") }
	whole := func(s delta.Step) delta.Step { return s.On(&appsv1.Deployment{}) }
	pods := func(s delta.Step) delta.Step { return s.On(&corev1.Pod{}, "spec") }
	none := func(s delta.Step) delta.Step { return s }
	retry := delta.Change{Cause: delta.Retry}
	for name, tt := range map[string]struct {
		changes                     delta.Changes
		replicas, whole, pods, none bool
	}{
		"it":                         {delta.NewChanges(scaledUp()), true, true, false, true},
		"another field":              {delta.NewChanges(ownStatus("web")), false, true, false, true},
		"another kind":               {delta.NewChanges(gonePod()), false, false, true, true},
		"a resync":                   {delta.NewChanges(resynced(at(5, 3))), false, false, false, true},
		"one that hides an update":   {delta.NewChanges(delta.Change{Op: delta.Sync, Old: at(4, 3), New: at(5, 3)}), false, true, false, true},
		"one without old state":      {delta.NewChanges(delta.Change{Op: delta.Sync, New: at(5, 3)}), true, true, false, true},
		"resyncs of two states":      {delta.NewChanges(resynced(at(4, 3)), resynced(at(5, 3))), false, true, false, true},
		"resyncs that differ":        {delta.NewChanges(resynced(at(4, 3)), resynced(at(5, 4))), true, true, false, true},
		"another object of the name": {delta.NewChanges(delta.Change{Op: delta.Deleted, Old: at(4, 3)}, delta.Change{Op: delta.Added, New: at(5, 3)}), true, true, false, true},
		"a timer":                    {delta.NewChanges(delta.Change{Cause: delta.Timer}), false, false, false, true},
		"a retry of something else":  {delta.NewChanges(retry, gonePod()).Assume(delta.Circumstances{Attempt: 2}), false, false, true, true},
		"a retry of it":              {delta.NewChanges(retry, scaledUp()).Assume(delta.Circumstances{Attempt: 3}), true, true, false, true},
		"nothing":                    {delta.NewChanges(), true, true, true, true},
		"not everything":             {delta.NewChanges(gonePod()).Assume(delta.Circumstances{Lacking: "a test"}), true, true, true, true},
		"nothing that is known":      {delta.Changes{}, true, true, true, true},
		"something unknown":          {delta.NewChanges(delta.Change{Cause: delta.External}, gonePod()), true, true, true, true},
		"an event without object":    {delta.NewChanges(delta.Change{Cause: delta.Generic}), true, true, true, true},
		"an event about a Pod":       {delta.NewChanges(delta.Change{Cause: delta.Generic, New: pod("p")}), false, false, true, true},
	} {
		for what, step := range map[string]struct {
			on   func(delta.Step) delta.Step
			want bool
		}{
			"replicas": {replicas, tt.replicas}, "the Deployment": {whole, tt.whole},
			"Pods": {pods, tt.pods}, "nothing": {none, tt.none},
			"either": {func(s delta.Step) delta.Step { return pods(replicas(s)) }, tt.replicas || tt.pods},
		} {
			on := func(s delta.Step) delta.Step { return step.on(s.NotOnResync()) }
			if got := ran(t, tt.changes, on); got != step.want {
				t.Errorf("%s: a step that depends on %s ran: %t, want %t", name, what, got, step.want)
			}
		}
	}
}

// TestAResyncLooksAtEverything sees that a call with a resync runs every step and touches everything, also where the resync
// is not among the changes that are asked, unless somebody says otherwise.
func TestAResyncLooksAtEverything(t *testing.T) {
	told := delta.NewChanges(ownStatus("web"), resynced(at(5, 3)))
	pods := func(s delta.Step) delta.Step { return s.On(&corev1.Pod{}, "spec") }
	if !ran(t, told, pods) || !told.Touches("spec.paused") || !told.Of(&corev1.Pod{}).Touches("spec") || !told.By(delta.Owned).Touches("spec") {
		t.Error("a resync looks at less than everything")
	}
	if ran(t, told, func(s delta.Step) delta.Step { return pods(s).NotOnResync() }) {
		t.Error("a step ran that is not to run on a resync")
	}
	if !ran(t, told, func(s delta.Step) delta.Step { return pods(s).NotOnResync().OnCause(delta.Resync) }) {
		t.Error("a step did not run that asks for the cause")
	}
	if !delta.NewChanges(resynced(at(5, 3))).Only(delta.Sync) {
		t.Error("a resync is not told apart")
	}
	for _, skips := range []bool{false, true} {
		l := delta.NewLedger[string](delta.LedgerOptions{SkipOnResync: skips})
		record(l, "r", delta.Change{Cause: delta.External})
		for range 2 { // the second call is told of the resync alone
			ctx, call := l.Begin(t.Context(), "r")
			told = delta.From(ctx)
			call.End(delta.Succeeded)
			record(l, "r", resynced(at(5, 3)))
		}
		if !told.Complete() || told.Touches("spec") == skips {
			t.Errorf("with SkipOnResync %t a resync touches everything: %t (%s)", skips, told.Touches("spec"), told)
		}
	}
}

func TestAStepDependsOnObjectsByName(t *testing.T) {
	changes := delta.NewChanges(ownStatus("web"))
	for key, want := range map[delta.Key]bool{
		{}:                                true,
		{Name: "web"}:                     true,
		{Namespace: "team"}:               true,
		{Namespace: "team", Name: "web"}:  true,
		{Name: "shop"}:                    false,
		{Namespace: "other"}:              false,
		{Namespace: "team", Name: "shop"}: false,
	} {
		if got := ran(t, changes, func(s delta.Step) delta.Step { return s.OnNamed(&appsv1.Deployment{}, key, "status") }); got != want {
			t.Errorf("a step that depends on %v ran: %t, want %t", key, got, want)
		}
	}
}

func TestAStepDependsOnCauses(t *testing.T) {
	resyncs := func(s delta.Step) delta.Step { return s.OnCause(delta.Resync, delta.Timer).On(&corev1.Pod{}) }
	for name, tt := range map[string]struct {
		changes delta.Changes
		want    bool
	}{
		"a resync":             {delta.NewChanges(resynced(at(5, 3))), true},
		"a timer":              {delta.NewChanges(delta.Change{Cause: delta.Timer}), true},
		"something else":       {delta.NewChanges(scaledUp()), false},
		"a kind that it is on": {delta.NewChanges(gonePod()), true},
		"something unknown":    {delta.NewChanges(delta.Change{Cause: delta.External}), true},
		"it and more":          {delta.NewChanges(scaledUp(), resynced(at(5, 3))), true},
		"nothing is known":     {delta.Changes{}, true},
		"a retry of others":    {delta.NewChanges(delta.Change{Cause: delta.Retry}, scaledUp()).Assume(delta.Circumstances{Attempt: 2}), false},
	} {
		if got := ran(t, tt.changes, resyncs); got != tt.want {
			t.Errorf("%s: a step that depends on resyncs and timers ran: %t, want %t", name, got, tt.want)
		}
	}
}

// A dependency that can't be judged never counts as untouched, and the ledger says why.
func TestAStepThatCannotBeJudgedAlwaysRuns(t *testing.T) {
	deployments := appsv1.SchemeGroupVersion.WithKind("Deployment")
	l := delta.NewLedger[string](delta.LedgerOptions{
		KindOf: func(obj delta.Object) (schema.GroupVersionKind, error) {
			switch obj.(type) {
			case *appsv1.Deployment:
				return deployments, nil
			case *corev1.Pod:
				return corev1.SchemeGroupVersion.WithKind("Pod"), nil
			default:
				return schema.GroupVersionKind{}, errors.New("not registered")
			}
		},
		Watches: func(kind schema.GroupVersionKind) bool { return kind == deployments },
	})
	record(l, "r", delta.Change{Cause: delta.External})
	l.Take("r")
	l.Settle("r", delta.Succeeded)
	record(l, "r", became(at(1, 1), at(2, 2)))
	ctx, call := l.Begin(t.Context(), "r")
	plan := delta.Plan(ctx)
	for name, step := range map[string]delta.Step{
		"":        plan.On(&appsv1.Deployment{}, "status"),
		"parse":   plan.On(&appsv1.Deployment{}, "status", "spec..[["),
		"watch":   plan.On(&corev1.Pod{}),
		"kind of": plan.On(&corev1.Secret{}),
	} {
		did := false
		if err := step.Do(name, func(context.Context) error { did = true; return nil }); err != nil || did != (name != "") {
			t.Errorf("step %q ran: %t, error %v", name, did, err)
		}
	}
	call.End(delta.Succeeded)
	for _, status := range l.Steps() {
		if !strings.Contains(status.Blind, status.Name) || (status.Blind == "") != (status.Name == "") {
			t.Errorf("step %q is blind because of %q", status.Name, status.Blind)
		}
	}
	if n := len(l.Steps()); n != 4 {
		t.Errorf("%d steps are counted, want 4", n)
	}
	unknown := became(at(2, 2), at(3, 2)) // its kind was not known when it was recorded
	unknown.Kind, unknown.Old, unknown.New = schema.GroupVersionKind{}, metadataAt(2), metadataAt(3)
	record(l, "r", unknown)
	ctx, call = l.Begin(t.Context(), "r")
	did := false
	_ = delta.Plan(ctx).On(&appsv1.Deployment{}).Do("any", func(context.Context) error { did = true; return nil })
	call.End(delta.Succeeded)
	if !did {
		t.Error("an object of an unknown kind counts as one of another kind")
	}
}

func TestStepsAfterARelist(t *testing.T) {
	l := knowing(delta.LedgerLimits{})
	relists := uint64(0)
	l.Relists(func() uint64 { return relists })
	calls := func(how delta.Outcome) bool {
		record(l, "r", became(at(1, 1), at(2, 2)))
		ctx, call := l.Begin(t.Context(), "r")
		defer call.End(how)
		did := false
		_ = delta.Plan(ctx).On(&corev1.Pod{}).Do("it", func(context.Context) error { did = true; return nil })
		return did
	}
	if calls(delta.Succeeded) {
		t.Error("a step that nothing touches ran")
	}
	relists++
	if !calls(delta.Failed) || !calls(delta.Succeeded) {
		t.Error("a step was skipped although a relist may have hidden a change")
	}
	if calls(delta.Succeeded) {
		t.Error("a step that nothing touches ran, long after the relist")
	}
}

// Steps can share their first dependencies, also if one of them adds more.
func TestStepsShareABeginning(t *testing.T) {
	ctx := delta.NewContext(t.Context(), delta.NewChanges(gonePod()))
	common := delta.Plan(ctx).On(&corev1.Secret{}).On(&corev1.ConfigMap{}).On(&corev1.Service{})
	one, other := common.On(&corev1.Pod{}), common.On(&corev1.Node{})
	_ = one.Do("one", succeed)
	_ = other.Do("other", succeed)
	_ = common.Do("common", succeed)
	if got := fmt.Sprint(delta.Steps(ctx)); got != "[one done: Owned Pod team/web-1 Deleted other skipped common skipped]" {
		t.Errorf("the steps are %s", got)
	}
}

// A report says when a step ran, also if it failed.
func TestStepsTakeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := delta.NewContext(t.Context(), delta.NewChanges(gonePod()))
		began := time.Now()
		_ = delta.Plan(ctx).Do("slow", func(context.Context) error { time.Sleep(time.Minute); return nil })
		_ = delta.Plan(ctx).Do("broken", func(context.Context) error { time.Sleep(time.Second); return errors.New("it is broken") })
		_ = delta.Plan(ctx).On(&corev1.Secret{}).Do("skipped", succeed)
		_ = delta.Plan(ctx).Do("at work", func(ctx context.Context) error {
			if now := delta.Steps(ctx)[3]; !now.Began.Equal(began.Add(61*time.Second)) || now.Took != 0 {
				t.Errorf("a step at work is reported as %+v", now)
			}
			return nil
		})
		all := delta.Steps(ctx)
		if !all[0].Began.Equal(began) || all[0].Took != time.Minute || !all[1].Began.Equal(began.Add(time.Minute)) || all[1].Took != time.Second {
			t.Errorf("the steps that ran are reported as %+v", all[:2])
		}
		if !all[2].Skipped || !all[2].Began.IsZero() || all[2].Took != 0 {
			t.Errorf("the step that was skipped is reported as %+v", all[2])
		}
	})
}

func TestStepsOfNoCall(t *testing.T) {
	if got := delta.Steps(t.Context()); got != nil {
		t.Errorf("a context without changes has the steps %s", got)
	}
	runs := 0
	for range 2 {
		_ = delta.Plan(t.Context()).On(&metav1.PartialObjectMetadata{}).Do("it", func(context.Context) error { runs++; return nil })
	}
	if runs != 2 {
		t.Errorf("without our builder a step ran %d times in two calls", runs)
	}
}

// A resync shows a state. It may also be the only thing that a request is told about an
// update before it.
func TestAStepRunsForAnUpdateThatOnlyAResyncShows(t *testing.T) {
	for name, tt := range map[string]struct {
		tell func(*delta.Ledger[string])
		want bool
	}{
		"an update that nobody was told": {func(l *delta.Ledger[string]) {
			watch := l.NewStream(delta.ByContent)
			deliver(l, watch, became(at(1, 1), at(2, 1)), "r")
			l.Take("r")
			l.Settle("r", delta.Succeeded)
			deliver(l, watch, became(at(2, 1), labeled(3)))
			deliver(l, watch, resynced(labeled(3)), "r")
		}, true},
		"an update that another request was told": {func(l *delta.Ledger[string]) {
			watch := l.NewStream(delta.ByContent)
			deliver(l, watch, became(at(1, 1), at(2, 1)), "other")
			deliver(l, watch, resynced(at(2, 1)), "r")
		}, true},
		"another state than a resync before it": {func(l *delta.Ledger[string]) { record(l, "r", resynced(at(1, 1)), resynced(at(2, 1))) }, true},
		"a resync":                              {func(l *delta.Ledger[string]) { record(l, "r", resynced(at(1, 1)), resynced(at(1, 1))) }, false},
	} {
		l := knowing(delta.LedgerLimits{})
		tt.tell(l)
		told := l.Take("r")
		if got := ran(t, told, func(s delta.Step) delta.Step { return s.On(&appsv1.Deployment{}) }); got != tt.want || told.Len() != 1 {
			t.Errorf("%s: a step that depends on the Deployment ran: %t, want %t, told %s", name, got, tt.want, told)
		}
	}
}

// labeled is a Deployment at a version, with a label.
func labeled(version int) *appsv1.Deployment {
	d := at(version, 1)
	d.Labels = map[string]string{"app": "web"}
	return d
}

// deliver lets a watch show a change to some requests.
func deliver(l *delta.Ledger[string], watch delta.Stream[string], c delta.Change, to ...string) {
	d := watch.Begin(c)
	defer d.End()
	for _, r := range to {
		d.Record(r)
		l.Landed(r)
	}
}
