package controller

import (
	"bytes"
	"context"
	"reflect"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// siteChanged is a change of a Site by an edit.
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
	after.SetResourceVersion("2")
	return delta.Change{Cause: delta.Owned, Op: delta.Updated, Old: before, New: after}
}

func TestPlan(t *testing.T) {
	spec := siteChanged(func(s *webv1alpha1.Site) { s.Spec.Image = "web:2" })
	status := ownedChanged(&appsv1.Deployment{}, &appsv1.Deployment{Status: appsv1.DeploymentStatus{ReadyReplicas: 1}})
	for name, c := range map[string]struct {
		changes delta.Changes
		want    steps
	}{
		"nothing known":            {delta.From(context.Background()), everything},
		"nothing happened":         {delta.NewChanges(), everything},
		"incomplete":               {delta.NewChanges(status).Lacking("as after a restart"), everything},
		"a retry":                  {delta.NewChanges(status).Again(2), everything},
		"a resync":                 {delta.NewChanges(delta.Change{Cause: delta.Resync, Op: delta.Sync, New: spec.New}), everything},
		"a timer":                  {delta.NewChanges(delta.Change{Cause: delta.Timer}), everything},
		"a new Site":               {delta.NewChanges(delta.Change{Cause: delta.Primary, Op: delta.Added, New: spec.New}), everything},
		"an image":                 {delta.NewChanges(spec), stepDeployment},
		"an image and a status":    {delta.NewChanges(spec, status), stepDeployment},
		"files":                    {delta.NewChanges(siteChanged(func(s *webv1alpha1.Site) { s.Spec.Files["a"] = "c" })), stepFiles | stepDeployment},
		"a hostname":               {delta.NewChanges(siteChanged(func(s *webv1alpha1.Site) { s.Spec.Hostname = "c" })), stepHostname},
		"a finalizer":              {delta.NewChanges(siteChanged(func(s *webv1alpha1.Site) { s.Finalizers = []string{"x"} })), stepHostname},
		"owners, unheard of":       {delta.NewChanges(siteChanged(func(s *webv1alpha1.Site) { s.OwnerReferences = []metav1.OwnerReference{{Name: "x"}} })), everything},
		"a label":                  {delta.NewChanges(siteChanged(func(s *webv1alpha1.Site) { s.Labels = map[string]string{"a": "b"} })), nothing},
		"a Deployment's status":    {delta.NewChanges(status), nothing},
		"a Deployment's spec":      {delta.NewChanges(ownedChanged(&appsv1.Deployment{}, &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Paused: true}})), stepDeployment},
		"a Deployment that is new": {delta.NewChanges(delta.Change{Cause: delta.Owned, Op: delta.Added, New: &appsv1.Deployment{}}), stepDeployment},
		"a Secret":                 {delta.NewChanges(ownedChanged(&corev1.Secret{}, &corev1.Secret{Data: map[string][]byte{"a": nil}})), stepDeployment},
		"a Pod, unheard of":        {delta.NewChanges(ownedChanged(&corev1.Pod{}, &corev1.Pod{})), everything},
	} {
		if got := plan(c.changes); got != c.want {
			t.Errorf("%s: the steps are %s, want %s", name, got, c.want)
		}
	}
}

// TestFieldsOfTheSpecAreKnown looks for fields that plan would do everything for because
// nobody has thought of them.
func TestFieldsOfTheSpecAreKnown(t *testing.T) {
	for _, field := range fields {
		if _, err := delta.ParsePath(field.path); err != nil {
			t.Error(err)
		}
	}
	full := &webv1alpha1.Site{Spec: webv1alpha1.SiteSpec{
		Image: "i", Replicas: new(int32(2)), Port: 1, Files: map[string]string{"a": "b"}, Secrets: []string{"s"}, Hostname: "h",
	}}
	one := &webv1alpha1.Site{Spec: webv1alpha1.SiteSpec{Image: "j"}} // without any, the spec would come as a whole
	known := 0
	for path := range delta.NewDiff(one, full, nil).Paths() {
		if known++; askedAt(path) == everything {
			t.Errorf("nobody has thought of %s", path)
		}
	}
	if want := reflect.TypeFor[webv1alpha1.SiteSpec]().NumField(); known != want {
		t.Errorf("%d fields were tried, and the spec has %d", known, want)
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
