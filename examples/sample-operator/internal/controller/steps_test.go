package controller

import (
	"bytes"
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// siteChanged is the change that an edit of a Site makes.
func siteChanged(edit func(*webv1alpha1.Site)) delta.Change {
	before := &webv1alpha1.Site{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "shop", Generation: 1, ResourceVersion: "1"},
		Spec:       webv1alpha1.SiteSpec{Image: "web:1", Files: map[string]string{"a": "b"}},
	}
	after := before.DeepCopy()
	after.ResourceVersion = "2"
	edit(after)
	return delta.Change{Cause: delta.Primary, Op: delta.Updated, Old: before, New: after}
}

func ownedChanged(before, after delta.Object) delta.Change {
	for _, obj := range []delta.Object{before, after} {
		obj.SetNamespace("team")
		obj.SetName("shop")
	}
	after.SetResourceVersion("2")
	return delta.Change{Cause: delta.Owned, Op: delta.Updated, Old: before, New: after}
}

// configMapChanged is a change of a ConfigMap.
func configMapChanged(namespace, name string) delta.Change {
	after := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	return delta.Change{Cause: delta.Owned, Op: delta.Deleted, Old: after, New: after}
}

// newFakeReconciler returns a reconciler of one Site, over controller-runtime's fake client.
// It notes what is applied, and does not apply it.
func newFakeReconciler(t *testing.T, site *webv1alpha1.Site, applied func(name string)) *SiteReconciler {
	t.Helper()
	r := &SiteReconciler{Namespace: "ops", Events: record.NewFakeRecorder(10)}
	r.Client = fake.NewClientBuilder().WithScheme(newScheme(t)).
		WithObjects(site).WithStatusSubresource(site).
		WithIndex(&corev1.ConfigMap{}, byHolder, r.holderOf).
		WithInterceptorFuncs(interceptor.Funcs{Apply: func(_ context.Context, _ client.WithWatch, obj runtime.ApplyConfiguration, _ ...client.ApplyOption) error {
			applied(*obj.(interface{ GetName() *string }).GetName())
			return nil
		}}).Build()
	r.Live = r.Client
	return r
}

// stepsFor calls the reconciler over a fake client, and returns which steps ran. Each applies its child, and the
// status is of the generation that was read.
func stepsFor(t *testing.T, changes delta.Changes, finalizers ...string) string {
	t.Helper()
	site := &webv1alpha1.Site{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "shop", UID: "u", Generation: 3, Finalizers: finalizers}}
	var applied []string
	r := newFakeReconciler(t, site, func(name string) { applied = append(applied, name) })
	ctx := delta.NewContext(t.Context(), changes)
	if _, err := r.Reconcile(ctx, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(site)}); err != nil {
		t.Fatal(err)
	}
	steps, want := namesOf(delta.Steps(ctx)), []string(nil)
	for _, step := range steps {
		if child, ok := map[string]string{"files": "shop-files", "service": "shop", "deployment": "shop"}[step]; ok {
			want = append(want, child)
		}
	}
	var after webv1alpha1.Site
	err := r.Get(t.Context(), client.ObjectKeyFromObject(site), &after)
	if err != nil || after.Status.ObservedGeneration != 3 || !slices.Equal(applied, want) {
		t.Errorf("the steps %q applied %q, and the status is %+v (error %v)", steps, applied, after.Status, err)
	}
	return strings.Join(steps, " ")
}

func TestSteps(t *testing.T) {
	const everything = "hostname files service deployment"
	spec := siteChanged(func(s *webv1alpha1.Site) { s.Spec.Image = "web:2" })
	status := ownedChanged(&appsv1.Deployment{}, &appsv1.Deployment{Status: appsv1.DeploymentStatus{ReadyReplicas: 1}})
	resync := delta.Change{Cause: delta.Resync, Op: delta.Sync, Old: spec.New, New: spec.New}
	for name, c := range map[string]struct {
		changes delta.Changes
		want    string
	}{
		"nothing known":            {delta.From(context.Background()), everything},
		"nothing happened":         {delta.NewChanges(), everything},
		"incomplete":               {delta.NewChanges(status).Assume(delta.Circumstances{Lacking: "as after a restart"}), everything},
		"something unknown":        {delta.NewChanges(status, delta.Change{Cause: delta.External}), everything},
		"a resync":                 {delta.NewChanges(resync), everything},
		"a resync and a status":    {delta.NewChanges(status, resync), everything},
		"a timer":                  {delta.NewChanges(delta.Change{Cause: delta.Timer}), everything},
		"a new Site":               {delta.NewChanges(delta.Change{Cause: delta.Primary, Op: delta.Added, New: spec.New}), everything},
		"another Site of the name": {delta.NewChanges(siteChanged(func(s *webv1alpha1.Site) { s.UID = "another" })), everything},
		"an image":                 {delta.NewChanges(spec), "deployment"},
		"an image and a status":    {delta.NewChanges(spec, status), "deployment"},
		"a retry of an image":      {delta.NewChanges(delta.Change{Cause: delta.Retry}, spec).Assume(delta.Circumstances{Attempt: 2}), "deployment"},
		"a retry of a status":      {delta.NewChanges(delta.Change{Cause: delta.Retry}, status).Assume(delta.Circumstances{Attempt: 2}), ""},
		"files":                    {delta.NewChanges(siteChanged(func(s *webv1alpha1.Site) { s.Spec.Files["a"] = "c" })), "files deployment"},
		"a hostname":               {delta.NewChanges(siteChanged(func(s *webv1alpha1.Site) { s.Spec.Hostname = "c" })), "hostname"},
		"a label":                  {delta.NewChanges(siteChanged(func(s *webv1alpha1.Site) { s.Labels = map[string]string{"a": "b"} })), ""},
		"a Deployment's status":    {delta.NewChanges(status), ""},
		"a Deployment's spec":      {delta.NewChanges(ownedChanged(&appsv1.Deployment{}, &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Paused: true}})), "deployment"},
		"a Deployment that is new": {delta.NewChanges(delta.Change{Cause: delta.Owned, Op: delta.Added, New: status.New}), "deployment"},
		"a Service's port":         {delta.NewChanges(ownedChanged(&corev1.Service{}, &corev1.Service{Spec: corev1.ServiceSpec{ExternalName: "a"}})), "service"},
		"a Service's status":       {delta.NewChanges(ownedChanged(&corev1.Service{}, &corev1.Service{Status: corev1.ServiceStatus{Conditions: []metav1.Condition{{}}}})), ""},
		"a Secret":                 {delta.NewChanges(ownedChanged(&corev1.Secret{}, &corev1.Secret{Data: map[string][]byte{"a": nil}})), "deployment"},
		"its files":                {delta.NewChanges(configMapChanged("team", "shop-files")), "files"},
		"a claim":                  {delta.NewChanges(configMapChanged("ops", "hostname-a")), "hostname"},
		"other files":              {delta.NewChanges(configMapChanged("team", "other-files")), ""},
	} {
		if got := stepsFor(t, c.changes); got != c.want {
			t.Errorf("%s: the steps are %q, want %q", name, got, c.want)
		}
	}
}

// TestAFinalizerIsPutRight changes a Site that has a finalizer and no hostname.
func TestAFinalizerIsPutRight(t *testing.T) {
	changes := delta.NewChanges(siteChanged(func(s *webv1alpha1.Site) { s.Finalizers = []string{Finalizer} }))
	if got := stepsFor(t, changes, Finalizer); got != "hostname" {
		t.Errorf("the steps are %q", got)
	}
	if got := stepsFor(t, changes, "somebody.example.com/else"); got != "" {
		t.Errorf("for a finalizer of somebody else's the steps are %q", got)
	}
}

// TestFieldsOfTheSpecAreKnown fails for a field of the spec that no step depends on.
func TestFieldsOfTheSpecAreKnown(t *testing.T) {
	full := reflect.ValueOf(webv1alpha1.SiteSpec{
		Image: "i", Replicas: new(int32(2)), Port: 1, Files: map[string]string{"c": "d"}, Secrets: []string{"s"}, Hostname: "h",
	})
	for i := range full.NumField() {
		name := full.Type().Field(i).Name
		if full.Field(i).IsZero() {
			t.Errorf("%s is not tried", name)
		}
		changed := siteChanged(func(s *webv1alpha1.Site) { reflect.ValueOf(&s.Spec).Elem().Field(i).Set(full.Field(i)) })
		if stepsFor(t, delta.NewChanges(changed)) == "" {
			t.Errorf("no step depends on %s", name)
		}
	}
}

func TestDigests(t *testing.T) {
	one := digestOf(map[string]string{"a": "b", "c": "d"})
	for name, other := range map[string]map[string]string{
		"another value": {"a": "b", "c": "e"}, "another key": {"a": "b", "e": "d"}, "less": {"a": "b"},
		"moved": {"a": "bc", "": "d"}, "nothing": nil,
	} {
		if digestOf(other) == one {
			t.Errorf("%s has the same digest", name)
		}
	}
	if digestOf(map[string]string{"c": "d", "a": "b"}) != one {
		t.Error("the same has another digest")
	}
}

func TestSecretsAreHidden(t *testing.T) {
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "team", Name: "database", UID: "u",
			Annotations: map[string]string{corev1.LastAppliedConfigAnnotation: `{"data":{"password":"c2VzYW1l"}}`},
		},
		Data: map[string][]byte{"password": []byte("sesame")},
	}
	hidden, err := HideSecret(secret)
	if err != nil {
		t.Fatal(err)
	}
	got := hidden.(*corev1.Secret)
	if text := got.String(); strings.Contains(text, "sesame") || strings.Contains(text, "c2VzYW1l") || len(got.Annotations) > 0 {
		t.Errorf("what is kept is %s", text)
	}
	if got.Name != "database" || len(got.Data["password"]) == 0 {
		t.Errorf("too little is kept: %+v", got)
	}
	secret.UID = "v"
	if other, _ := HideSecret(secret); bytes.Equal(other.(*corev1.Secret).Data["password"], got.Data["password"]) {
		t.Error("equal values of two Secrets look alike")
	}
}
