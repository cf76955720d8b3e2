package predicate_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	ctrlpredicate "sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/internal/writes"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/predicate"
)

// edits are what may happen to a Deployment, by the path at which it does.
var edits = map[string]func(*appsv1.Deployment, int){
	"metadata.labels.app":      func(d *appsv1.Deployment, i int) { d.Labels["app"] = fmt.Sprint(i) },
	"metadata.annotations.a":   func(d *appsv1.Deployment, i int) { d.Annotations["a"] = fmt.Sprint(i) },
	"metadata.generation":      func(d *appsv1.Deployment, i int) { d.Generation = int64(i) },
	"metadata.managedFields":   func(d *appsv1.Deployment, i int) { d.ManagedFields[0].Manager = fmt.Sprint(i) },
	"spec.replicas":            func(d *appsv1.Deployment, i int) { d.Spec.Replicas = new(int32(i)) },
	"spec.paused":              func(d *appsv1.Deployment, i int) { d.Spec.Paused = i%2 == 0 },
	"status.readyReplicas":     func(d *appsv1.Deployment, i int) { d.Status.ReadyReplicas = int32(i) },
	"status.conditions":        func(d *appsv1.Deployment, i int) { d.Status.Conditions[0].Reason = fmt.Sprint(i) },
	"metadata.finalizers":      func(d *appsv1.Deployment, i int) { d.Finalizers[0] = fmt.Sprint("f/", i) },
	"metadata.resourceVersion": func(d *appsv1.Deployment, i int) { d.ResourceVersion = fmt.Sprint("again-", i) },
}

func deployment() *appsv1.Deployment {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{
		Namespace: "team", Name: "web", UID: "uid", ResourceVersion: "1", Generation: 1000,
		Labels: map[string]string{"app": "web"}, Annotations: map[string]string{"a": "b"},
		ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "me"}}, Finalizers: []string{"f/0"},
	}}
	d.Spec.Replicas = new(int32(1000))
	d.Status.Conditions = []appsv1.DeploymentCondition{{Type: "Ready"}}
	return d
}

// untyped is the same object in unstructured form.
func untyped(obj client.Object) client.Object {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		panic(err)
	}
	return &unstructured.Unstructured{Object: content}
}

func update(before, after client.Object) event.UpdateEvent {
	return event.UpdateEvent{ObjectOld: before, ObjectNew: after}
}

// impossible are paths that no Deployment has.
var impossible = []string{"spec.replicas.none", "data"}

// changedAt is what ChangedAt is to say. A path that no Deployment has is always touched.
// Of objects that do not say what they have, it is touched by whatever changes.
func changedAt(changed []string, path string, obj client.Object) bool {
	if slices.Contains(impossible, path) {
		_, typed := obj.(*appsv1.Deployment)
		return typed || slices.ContainsFunc(changed, func(at string) bool {
			return at != "metadata.managedFields" && at != "metadata.resourceVersion"
		})
	}
	return slices.ContainsFunc(changed, func(at string) bool {
		return at == path || strings.HasPrefix(at, path+".") || strings.HasPrefix(path, at+".")
	})
}

// notStatusOnly is what NotStatusOnly is to say.
func notStatusOnly(changed []string) bool {
	return slices.ContainsFunc(changed, func(at string) bool {
		return !strings.HasPrefix(at, "status.") && at != "metadata.managedFields" && at != "metadata.resourceVersion"
	})
}

// TestPredicatesAgainstModel changes fields at random, and combines predicates by
// controller-runtime's.
func TestPredicatesAgainstModel(t *testing.T) {
	var all []string
	for path := range edits {
		all = append(all, path)
	}
	slices.Sort(all)
	asked := []string{"spec", "spec.replicas", "spec.replicas.none", "status", "metadata.labels", `metadata.labels.app`, "metadata.annotations", "data"}
	seeds.Run(t, 200, func(t *testing.T, rng *rand.Rand) {
		before := deployment()
		after := before.DeepCopy()
		var changed []string
		for i := range rng.IntN(4) {
			path := all[rng.IntN(len(all))]
			edits[path](after, 2*i+1)
			if path != "spec.paused" { // which stays false then
				changed = append(changed, path)
			}
		}
		same := len(changed) == 0 && rng.IntN(2) == 0
		if !same {
			after.ResourceVersion = "2"
		}
		var e event.UpdateEvent
		if e = update(before, after); rng.IntN(2) == 0 {
			e = update(untyped(before), untyped(after))
		}
		path := asked[rng.IntN(len(asked))]
		at, status, resync := predicate.ChangedAt(path), predicate.NotStatusOnly(), predicate.NotResync()
		wantAt, wantStatus, wantResync := changedAt(changed, path, e.ObjectNew), same || notStatusOnly(changed), !same
		for name, c := range map[string]struct {
			p    ctrlpredicate.Predicate
			want bool
		}{
			"ChangedAt": {at, wantAt}, "NotStatusOnly": {status, wantStatus}, "NotResync": {resync, wantResync},
			"And": {ctrlpredicate.And(at, status, resync), wantAt && wantStatus && wantResync},
			"Or":  {ctrlpredicate.Or(at, ctrlpredicate.Not(status)), wantAt || !wantStatus},
			"Not": {ctrlpredicate.Not(resync), !wantResync},
		} {
			if got := c.p.Update(e); got != c.want {
				t.Errorf("%s at %s is %v, want %v, of what changed at %q", name, path, got, c.want, changed)
			}
		}
	})
}

// TestChangedAtKnowsWhatCanExist has paths that some kinds have, and paths that none has.
func TestChangedAtKnowsWhatCanExist(t *testing.T) {
	statusOf := func(form func(client.Object) client.Object) event.UpdateEvent {
		after := deployment()
		after.Status.ReadyReplicas, after.ResourceVersion = 7, "2"
		return update(form(deployment()), form(after))
	}
	asIs := func(obj client.Object) client.Object { return obj }
	known := func(obj client.Object) client.Object {
		u := untyped(obj)
		u.GetObjectKind().SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("Deployment"))
		return u
	}
	config := func(version string) client.Object {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ResourceVersion: version, Annotations: map[string]string{"at": version}}}
	}
	for _, path := range []string{"spec.replica", "Spec.Replicas", "/spec/replicas", "{.spec.replicas}", "metadata.label"} {
		for name, form := range map[string]func(client.Object) client.Object{"typed": asIs, "unstructured": known} {
			if !predicate.ChangedAt(path).Update(statusOf(form)) {
				t.Errorf("%s, %s: holds back an update, although nothing of that name can exist", name, path)
			}
		}
		after := deployment()
		after.ResourceVersion = "2"
		if p := predicate.TypedChangedAt[*appsv1.Deployment](path); !p.Update(event.TypedUpdateEvent[*appsv1.Deployment]{ObjectOld: deployment(), ObjectNew: after}) {
			t.Errorf("%s: a predicate of a type holds back an update, although the type has nothing of that name", path)
		}
	}
	both := predicate.ChangedAt("spec.replicas", "data")
	if !both.Update(statusOf(asIs)) {
		t.Error("before there is a kind with data, data is thought to exist")
	}
	both.Create(event.CreateEvent{Object: config("1")})
	if both.Update(statusOf(asIs)) || both.Update(statusOf(known)) || both.Update(update(config("1"), config("2"))) {
		t.Error("a path of one kind is touched by another")
	}
	filled := &corev1.ConfigMap{Data: map[string]string{"a": "b"}}
	if !both.Update(update(config("1"), filled)) {
		t.Error("a path that one of the kinds has is not touched")
	}
	custom := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "a.b/v1", "kind": "Custom"}}
	if predicate.ChangedAt("spec.anything").Update(update(custom, custom)) {
		t.Error("a path is wrong in a kind of which nothing is known")
	}
}

// TestPredicatesPassAllElse asks about events that are not updates, or odd ones.
func TestPredicatesPassAllElse(t *testing.T) {
	web := deployment()
	for name, p := range map[string]ctrlpredicate.Predicate{
		"ChangedAt": predicate.ChangedAt("spec"), "NotResync": predicate.NotResync(),
		"NotStatusOnly": predicate.NotStatusOnly(), "NotOwnWrite": predicate.NotOwnWrite(writes.New(0)),
		"of nobody": predicate.NotOwnWrite(nil), "of no pointer": predicate.NotOwnWrite((*writes.Writes)(nil)),
		"no path": predicate.ChangedAt(), "nonsense": predicate.ChangedAt("spec", "spec..[[", "metadata"),
	} {
		for what, passed := range map[string]bool{
			"create": p.Create(event.CreateEvent{Object: web}), "delete": p.Delete(event.DeleteEvent{Object: web}),
			"generic": p.Generic(event.GenericEvent{Object: web}), "nothing": p.Update(event.UpdateEvent{}),
			"no old": p.Update(update(nil, web)), "no object": p.Create(event.CreateEvent{}),
			"nil pointer": p.Update(update((*appsv1.Deployment)(nil), web)),
		} {
			if !passed {
				t.Errorf("%s does not pass an event: %s", name, what)
			}
		}
	}
	for _, p := range []ctrlpredicate.Predicate{predicate.ChangedAt(), predicate.ChangedAt("spec", "spec..[[")} {
		if !p.Update(update(web, web)) {
			t.Error("a predicate that can't know what it is asked holds something back")
		}
	}
}

// TestPredicatesDoNotRuleOutWhatIsNotShown has metadata at another version, which may
// have any other content, and objects that took the place of others.
func TestPredicatesDoNotRuleOutWhatIsNotShown(t *testing.T) {
	partial := func(uid types.UID, version string) client.Object {
		return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{UID: uid, ResourceVersion: version, Generation: 1}}
	}
	whole := func(uid types.UID) client.Object {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{UID: uid, ResourceVersion: "1"}, Data: map[string]string{"a": "b"}}
	}
	data, labels := predicate.ChangedAt("data"), predicate.ChangedAt("metadata.labels")
	notStatus := predicate.NotStatusOnly()
	for name, tt := range map[string]struct {
		p      ctrlpredicate.Predicate
		e      event.UpdateEvent
		passes bool
	}{
		"content, another version":  {data, update(partial("a", "1"), partial("a", "2")), true},
		"content, the same version": {data, update(partial("a", "1"), partial("a", "1")), false},
		"labels, another version":   {labels, update(partial("a", "1"), partial("a", "2")), false},
		"content of a namesake":     {data, update(whole("a"), whole("b")), true},
		"labels of a namesake":      {labels, update(whole("a"), whole("b")), true},
		"metadata of a namesake":    {labels, update(partial("a", "1"), partial("b", "1")), true},
		"status of a namesake":      {notStatus, update(whole("a"), whole("b")), true},
		"status, metadata alone":    {notStatus, update(partial("a", "1"), partial("b", "1")), true},
	} {
		if got := tt.p.Update(tt.e); got != tt.passes {
			t.Errorf("%s: passes is %v, want %v", name, got, tt.passes)
		}
	}
}

func TestNotResyncKnowsStates(t *testing.T) {
	at := func(uid types.UID, version string) client.Object {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{UID: uid, ResourceVersion: version}}
	}
	blank := at("", "")
	for name, tt := range map[string]struct {
		e      event.UpdateEvent
		passes bool
	}{
		"resync":            {update(at("a", "1"), at("a", "1")), false},
		"change":            {update(at("a", "1"), at("a", "2")), true},
		"namesake":          {update(at("a", "1"), at("b", "1")), true},
		"no version":        {update(at("a", ""), at("a", "")), true},
		"one and no other":  {update(blank, blank), false},
		"version was known": {update(at("a", "1"), at("a", "")), true},
	} {
		if got := predicate.NotResync().Update(tt.e); got != tt.passes {
			t.Errorf("%s: passes is %v, want %v", name, got, tt.passes)
		}
	}
	typed := predicate.TypedNotResync[*corev1.ConfigMap]()
	if typed.Update(event.TypedUpdateEvent[*corev1.ConfigMap]{ObjectOld: &corev1.ConfigMap{}, ObjectNew: nil}) != true {
		t.Error("an event without its object does not pass")
	}
}

func TestNotStatusOnlyOfOddKinds(t *testing.T) {
	config := func(version, value string) client.Object {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ResourceVersion: version}, Data: map[string]string{"status": value}}
	}
	partial := func(version string, generation int64, label string) client.Object {
		return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
			ResourceVersion: version, Generation: generation, Labels: map[string]string{"app": label},
		}}
	}
	priority := func(version string) client.Object {
		p := partial(version, 1, "web")
		p.GetObjectKind().SetGroupVersionKind(schedulingv1.SchemeGroupVersion.WithKind("PriorityClass"))
		return p
	}
	custom := func(version, top string) client.Object {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "Odd", top: "x", "metadata": map[string]any{"name": "a", "resourceVersion": version},
		}}
	}
	for name, tt := range map[string]struct {
		e      event.UpdateEvent
		passes bool
	}{
		"without status, nothing":         {update(config("1", "a"), config("2", "a")), false},
		"without status, something":       {update(config("1", "a"), config("2", "b")), true},
		"metadata, status":                {update(partial("1", 7, "web"), partial("2", 7, "web")), false},
		"metadata, spec":                  {update(partial("1", 7, "web"), partial("2", 8, "web")), true},
		"metadata, label":                 {update(partial("1", 7, "web"), partial("2", 7, "db")), true},
		"metadata, who knows":             {update(partial("1", 0, "web"), partial("2", 0, "web")), true},
		"a generation that never changes": {update(priority("1"), priority("2")), true},
		"a status that is a text":         {update(custom("1", "other"), custom("2", "status")), true},
		"a field that begins like it":     {update(custom("1", "status"), custom("2", "statusOfOthers")), true},
		"a spec that went":                {update(custom("1", "spec"), custom("2", "status")), true},
		"unstructured, and nothing else":  {update(custom("1", "status"), custom("2", "status")), false},
	} {
		if got := predicate.NotStatusOnly().Update(tt.e); got != tt.passes {
			t.Errorf("%s: passes is %v, want %v", name, got, tt.passes)
		}
	}
}

// TestNotOwnWriteSaysThatItKnowsNothing makes the predicate of a client that does not
// remember what it writes.
func TestNotOwnWriteSaysThatItKnowsNothing(t *testing.T) {
	const words = "manager.Configure"
	before := logged.count(words)
	predicate.NotOwnWrite(nil)
	if n := logged.count(words) - before; n != 1 {
		t.Errorf("%d lines of the log say what to do about it, want one", n)
	}
	predicate.NotOwnWrite(writes.New(0))
	if n := logged.count(words) - before; n != 1 {
		t.Errorf("a predicate that works has %d lines logged", n-1)
	}
}

// TestNotOwnWriteModel has us and others write objects, and shows what a watch that
// skips some states would. Nothing that others wrote may be held back.
func TestNotOwnWriteModel(t *testing.T) {
	seeds.Run(t, 300, func(t *testing.T, rng *rand.Rand) {
		limit := 1 + rng.IntN(5)
		known := writes.New(limit)
		p := predicate.NotOwnWrite(known)
		var states []client.Object // of the object, oldest first
		var ours []bool            // who made them
		for i := range 30 {
			obj := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{UID: "uid", ResourceVersion: fmt.Sprint(i + 1)}}
			mine := rng.IntN(3) > 0
			if mine {
				from := ""
				if i > 0 {
					from = fmt.Sprint(i)
				}
				known.Wrote("uid", from, obj.ResourceVersion)
			}
			states, ours = append(states, obj), append(ours, mine)
			shown := max(0, i-rng.IntN(4)) // the state that was shown before
			want := shown == i || i-shown > limit || slices.Contains(ours[shown+1:], false)
			if passed := p.Update(update(states[shown], obj)); passed != want {
				t.Fatalf("from %d to %d: passes is %v, want %v; ours are %v, of which the last %d are known", shown+1, i+1, passed, want, ours, limit)
			}
			if created := p.Create(event.CreateEvent{Object: obj}); !created && slices.Contains(ours, false) {
				t.Fatalf("the object at %d has been written by others, and its creation is held back: %v", i+1, ours)
			}
		}
	})
}

func TestNotOwnWriteHoldsBackOurs(t *testing.T) {
	ours := writes.New(0)
	p := predicate.NotOwnWrite(ours)
	at := func(uid types.UID, version string) client.Object {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "web", UID: uid, ResourceVersion: version}}
	}
	ours.Wrote("uid", "", "1")
	ours.Wrote("uid", "1", "2")
	for name, tt := range map[string]struct{ got, want bool }{
		"created":                {p.Create(event.CreateEvent{Object: at("uid", "1")}), false},
		"created and changed":    {p.Create(event.CreateEvent{Object: at("uid", "2")}), false},
		"updated":                {p.Update(update(at("uid", "1"), at("uid", "2"))), false},
		"there at the beginning": {p.Create(event.CreateEvent{Object: at("uid", "1"), IsInInitialList: true}), true},
		"resynced":               {p.Update(update(at("uid", "2"), at("uid", "2"))), true},
		"a namesake's":           {p.Update(update(at("other", "1"), at("uid", "2"))), true},
		"from no version":        {p.Update(update(at("uid", ""), at("uid", "2"))), true},
		"by others":              {p.Update(update(at("uid", "2"), at("uid", "3"))), true},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: passes is %v, want %v", name, tt.got, tt.want)
		}
	}
}

// TestNotOwnWriteWaitsForTheAnswer lets the event come first.
func TestNotOwnWriteWaitsForTheAnswer(t *testing.T) {
	for name, tt := range map[string]struct {
		answer time.Duration
		passes bool
	}{"in time": {900 * time.Millisecond, false}, "too late": {5 * time.Second, true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours := writes.New(0)
				answered := ours.Begin(schema.GroupKind{Group: "apps", Kind: "Deployment"}, delta.Key{Namespace: "team", Name: "web"})
				time.AfterFunc(tt.answer, func() {
					ours.Wrote("uid", "1", "2")
					answered()
				})
				after := deployment()
				after.ResourceVersion = "2"
				start := time.Now()
				if got := predicate.NotOwnWrite(ours).Update(update(deployment(), after)); got != tt.passes {
					t.Errorf("passes is %v, want %v", got, tt.passes)
				}
				if waited := time.Since(start); waited != min(tt.answer, time.Second) {
					t.Errorf("waited %v", waited)
				}
				time.Sleep(tt.answer)
			})
		})
	}
}
