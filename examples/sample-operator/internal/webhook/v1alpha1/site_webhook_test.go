package v1alpha1

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
)

func TestDefaults(t *testing.T) {
	empty := &webv1alpha1.Site{}
	full := &webv1alpha1.Site{Spec: webv1alpha1.SiteSpec{Image: "web:1", Replicas: new(int32(0)), Port: 80}}
	for _, site := range []*webv1alpha1.Site{empty, full} {
		if err := (&SiteDefaulter{}).Default(t.Context(), site); err != nil {
			t.Fatal(err)
		}
	}
	if empty.Spec.Image != webv1alpha1.DefaultImage || *empty.Spec.Replicas != 1 || empty.Spec.Port != webv1alpha1.DefaultPort {
		t.Errorf("an empty spec has become %+v", empty.Spec)
	}
	if full.Spec.Image != "web:1" || *full.Spec.Replicas != 0 || full.Spec.Port != 80 {
		t.Errorf("a full spec has become %+v", full.Spec)
	}
}

func TestValidation(t *testing.T) {
	v := &SiteValidator{}
	for name, c := range map[string]struct {
		spec webv1alpha1.SiteSpec
		want string // part of the error; empty if there is none
	}{
		"nothing":         {webv1alpha1.SiteSpec{}, ""},
		"files":           {webv1alpha1.SiteSpec{Files: map[string]string{"index.html": ""}}, ""},
		"a path":          {webv1alpha1.SiteSpec{Files: map[string]string{"index.html": "", "../x": ""}}, "spec.files[../x]"},
		"too much":        {webv1alpha1.SiteSpec{Files: map[string]string{"index.html": strings.Repeat("x", fits)}}, "spec.files: Too long"},
		"a good hostname": {webv1alpha1.SiteSpec{Hostname: "a.example.com"}, ""},
	} {
		site := &webv1alpha1.Site{ObjectMeta: metav1.ObjectMeta{Name: "shop"}, Spec: c.spec}
		_, created := v.ValidateCreate(t.Context(), site)
		_, updated := v.ValidateUpdate(t.Context(), &webv1alpha1.Site{Spec: webv1alpha1.SiteSpec{Port: 1}}, site)
		for _, err := range []error{created, updated} {
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", name, err, c.want)
			}
		}
	}
}

// TestWhatWasAllowedOnceStaysWritable writes finalizers of a Site that would be refused
// today.
func TestWhatWasAllowedOnceStaysWritable(t *testing.T) {
	bad := &webv1alpha1.Site{Spec: webv1alpha1.SiteSpec{Files: map[string]string{"..": ""}}}
	after := bad.DeepCopy()
	after.Finalizers = []string{"x"}
	if _, err := (&SiteValidator{}).ValidateUpdate(t.Context(), bad, after); err != nil {
		t.Error(err)
	}
	after.Spec.Files = map[string]string{"../x": ""}
	after.DeletionTimestamp = new(metav1.Now())
	if _, err := (&SiteValidator{}).ValidateUpdate(t.Context(), bad, after); err != nil {
		t.Error(err)
	}
	if _, err := (&SiteValidator{}).ValidateDelete(t.Context(), bad); err != nil {
		t.Error(err)
	}
}
