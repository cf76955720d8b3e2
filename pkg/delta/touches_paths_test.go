package delta

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	unstructuredv1 "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/delta-runtime/delta-runtime/internal/testing/samples"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

// misspelt are common wrong spellings of paths. No Deployment has them.
var misspelt = []string{"spec.replica", "Spec.Replicas", "/spec/replicas", "{.spec.replicas}", "data.tls.crt", "spec.template.spec.containers[name=1]"}

// labelled is a change of only a label.
func labelled() Change {
	after := samples.Web(func(d *appsv1.Deployment) { d.Labels["app"] = "web" })
	return Change{Cause: Primary, Kind: appsv1.SchemeGroupVersion.WithKind("Deployment"), Op: Updated, Old: samples.Web(), New: after}
}

// logging returns a logger, and a function that returns the lines up to now.
func logging() (log logr.Logger, lines func() []string) {
	var all []string
	log = funcr.New(func(_, args string) { all = append(all, args) }, funcr.Options{})
	return log, func() []string { return all }
}

// asking returns what a ledger knows about the watched kinds.
func asking(log logr.Logger, schemas diff.Schemas, watched ...Object) *facts {
	f := &facts{LedgerOptions: LedgerOptions{Schemas: schemas}, paths: newPathChecks(log)}
	for _, obj := range watched {
		f.listed = append(f.listed, listedKind{example: obj})
	}
	return f
}

// known returns complete changes in the form that a ledger tells.
func known(f *facts, list ...Change) Changes {
	c := NewChanges(list...)
	c.facts = f
	return c
}

func TestMisspeltPathsAreTouched(t *testing.T) {
	for _, path := range misspelt {
		change := labelled()
		if !NewChanges(change).Touches(path) || !NewChanges(change).Touches("spec.replicas", path) {
			t.Errorf("Changes: %s is not touched, although nothing of that name can exist", path)
		}
		if !change.Diff().Touches(path) {
			t.Errorf("Diff: %s is not touched, although nothing of that name can exist", path)
		}
		if !diff.New(change.New, change.New, nil).Touches(path) {
			t.Errorf("a resync: %s is not touched, although nothing of that name can exist", path)
		}
	}
	for _, path := range []string{"spec.replicas", "status", "metadata.annotations", "metadata.labels[other]", "spec.template.spec.containers[*].envFrom"} {
		if NewChanges(labelled()).Touches(path) || labelled().Diff().Touches(path) {
			t.Errorf("%s is touched by the change of a label", path)
		}
	}
}

// TestAPathOfOneKindIsNotTouchedByOthers asks about all changes at once, as a controller that
// watches several kinds may do.
func TestAPathOfOneKindIsNotTouchedByOthers(t *testing.T) {
	config, secret := &corev1.ConfigMap{}, &corev1.Secret{}
	filled := Change{Cause: Owned, Op: Updated, Old: config, New: &corev1.ConfigMap{Data: map[string]string{"a.b": "c"}}}
	custom := ofKind(schema.GroupVersionKind{Group: "a.b", Version: "v1", Kind: "Custom"})
	schemas := samples.Custom
	for name, c := range map[string]struct {
		changes Changes
		path    string
		want    bool
	}{
		"of another change":            {NewChanges(labelled(), filled), "immutable", false},
		"of a kind that is watched":    {known(asking(logr.Discard(), nil, &appsv1.Deployment{}, secret), labelled()), "stringData", false},
		"that no watched kind has":     {known(asking(logr.Discard(), nil, &appsv1.Deployment{}, secret), labelled()), "stringDate", true},
		"of another kind than asked":   {known(asking(logr.Discard(), nil, secret), labelled()).Of(&appsv1.Deployment{}), "stringData", true},
		"of the kind asked":            {known(asking(logr.Discard(), nil, secret), labelled()).Of(secret), "stringData", false},
		"misspelt of the kind asked":   {known(asking(logr.Discard(), nil, secret), labelled()).Of(secret), "stringDate", true},
		"of a kind by schema":          {known(asking(logr.Discard(), schemas, custom), labelled()), "spec.byName.x.x", false},
		"that no kind has by schema":   {known(asking(logr.Discard(), schemas, custom), labelled()), "spec.byName.x.y", true},
		"of a kind that is not known":  {known(asking(logr.Discard(), nil, custom)), "spec.anything", false},
		"of the known kind it is not":  {known(asking(logr.Discard(), nil, custom), labelled()), "spec.anything", true},
		"of metadata":                  {known(asking(logr.Discard(), samples.Builtin, metaOnly("u", "1", nil)), labelled()), "binaryData", false},
		"misspelt of metadata":         {known(asking(logr.Discard(), samples.Builtin, metaOnly("u", "1", nil)), labelled()), "binaryDate", true},
		"nothing happened":             {known(asking(logr.Discard(), nil, secret)), "stringData", false},
		"nothing happened, misspelt":   {known(asking(logr.Discard(), nil, secret)), "stringDate", true},
		"nothing is known of anything": {NewChanges(), "whatever", false},
		"a timer, misspelt":            {known(asking(logr.Discard(), nil, secret), Change{Cause: Timer}), "stringDate", true},
		"a timer":                      {known(asking(logr.Discard(), nil, secret), Change{Cause: Timer}), "stringData", false},
	} {
		for range 2 { // the second answer is remembered
			if got := c.changes.Touches(c.path); got != c.want {
				t.Errorf("a path %s: Touches(%s) is %v, want %v", name, c.path, got, c.want)
			}
		}
	}
}

func TestAWrongPathIsLoggedOnce(t *testing.T) {
	log, lines := logging()
	f := asking(log, nil, &corev1.Secret{}, &appsv1.Deployment{})
	for range 3 {
		known(f, labelled()).Touches("spec.replica", "spec.replicas")
		known(f).Assume(Circumstances{Lacking: "a test"}).Touches("spec.replica", "data.tls.crt", "spec..replicas")
	}
	want := []string{
		"can't exist in apps/v1 Deployment or core/v1.Secret: spec has no field replica; did you mean spec.replicas?",
		`can't exist in core/v1.Secret or apps/v1.Deployment: data[tls] is a text and has nothing below it; did you mean data["tls.crt"]?`,
		"a name has to follow",
	}
	got := lines()
	if len(got) != len(want) {
		t.Fatalf("logged %d lines, want %d: %q", len(got), len(want), got)
	}
	for i, line := range got {
		if line = strings.ReplaceAll(line, `\"`, `"`); !strings.Contains(line, want[i]) {
			t.Errorf("logged %s, want %s", line, want[i])
		}
	}
}

// TestTypesAreAskedBeforeSchemas asks about a path that a Go type has.
func TestTypesAreAskedBeforeSchemas(t *testing.T) {
	schemas := &samples.Refusing{}
	if known(asking(logr.Discard(), schemas, metaOnly("u", "1", nil), &corev1.Secret{})).Touches("stringData") || schemas.Calls != 0 {
		t.Errorf("schemas were asked %d times", schemas.Calls)
	}
}

// Belated are schemas that know a kind only later.
type Belated struct {
	diff.Schemas
	Known bool
}

func (l *Belated) ObjectToTyped(obj runtime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	if !l.Known {
		return (&samples.Refusing{}).ObjectToTyped(obj, opts...)
	}
	return l.Schemas.ObjectToTyped(obj, opts...)
}

// TestAnAnswerThatMayChangeIsNotKept has a kind whose schema comes after the first question,
// as for a CRD that is installed after the controller.
func TestAnAnswerThatMayChangeIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kind := corev1.SchemeGroupVersion.WithKind("ConfigMap")
		schemas := &Belated{Schemas: samples.Builtin}
		f := asking(logr.Discard(), schemas, ofKind(kind))
		if known(f).Touches("dta") {
			t.Error("a path of a kind without a schema is called wrong")
		}
		schemas.Known = true
		time.Sleep(time.Minute)
		if !known(f).Touches("dta") || known(f).Touches("data") {
			t.Error("the kind has a schema now, and its paths are not checked")
		}
		schemas.Known = false
		if known(f).Touches("data") {
			t.Error("a path that could exist can't exist any more")
		}
	})
}

func TestPathChecksAreBounded(t *testing.T) {
	log, lines := logging()
	f := asking(log, nil, &corev1.Secret{})
	for i := range 3 * maxAnswers {
		known(f).Touches(fmt.Sprintf("data[%q]", fmt.Sprint("key-", i)))
		if len(f.paths.answers) > maxAnswers {
			t.Fatalf("%d answers are kept", len(f.paths.answers))
		}
	}
	for i := range 3 * maxComplaints {
		if !known(f).Touches(fmt.Sprint("wrong-", i)) {
			t.Errorf("the wrong path %d is not touched", i)
		}
	}
	if n := len(lines()); n != maxComplaints || len(f.paths.told) > maxComplaints {
		t.Errorf("%d complaints, want %d", n, maxComplaints)
	}
}

func TestALedgerSaysWhatIsWatched(t *testing.T) {
	log, lines := logging()
	ledger := NewLedger[string](LedgerOptions{Log: log})
	ledger.Listed(Change{Kind: example, New: &metav1.PartialObjectMetadata{}})
	ledger.Listed(Change{Kind: corev1.SchemeGroupVersion.WithKind("Secret"), New: &corev1.Secret{}})
	ledger.Record("r", labelled())
	ledger.Landed("r")
	if !ledger.Take("r").Touches("stringDate") || len(lines()) != 1 {
		t.Errorf("logged %q", lines())
	}
}

// ofKind is an unstructured object of a kind.
func ofKind(kind schema.GroupVersionKind) Object {
	u := &unstructuredv1.Unstructured{}
	u.SetGroupVersionKind(kind)
	return u
}

// TestHiddenValuesRuleOutNothing has a kind that is named as Secrets are, whose values are
// hidden whatever they are.
func TestHiddenValuesRuleOutNothing(t *testing.T) {
	vault := &unstructuredv1.Unstructured{Object: map[string]any{
		"apiVersion": "vault.example.com/v1", "kind": "Secret",
		"metadata": map[string]any{"name": "a", "annotations": map[string]any{"owner": "me"}},
		"spec":     map[string]any{"name": "x", "mount": map[string]any{"path": "y"}},
	}}
	for what, d := range map[string]*diff.Diff{"created": diff.New(nil, vault, nil), "deleted": diff.New(vault, nil, nil)} {
		for path, want := range map[string]bool{
			"spec": true, "spec.name": true, "spec.mount.path": true, "metadata.annotations[owner]": true,
			"metadata.labels": false, "metadata.annotations[other]": false,
		} {
			if got := d.Touches(path); got != want {
				t.Errorf("%s: Touches(%s) = %v, want %v, of %s", what, path, got, want, d)
			}
		}
	}
}

// TestADottedKeyIsTouchedWithoutBrackets asks for data["config.yaml"] as one that does not
// know of brackets does.
func TestADottedKeyIsTouchedWithoutBrackets(t *testing.T) {
	typed := func(data map[string]string) Object {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: data}
	}
	untyped := func(data map[string]string) Object {
		content := map[string]any{}
		for key, v := range data {
			content[key] = v
		}
		return &unstructuredv1.Unstructured{Object: map[string]any{"apiVersion": "a.b/v1", "kind": "Custom", "metadata": map[string]any{"name": "a"}, "data": content}}
	}
	for name, form := range map[string]func(map[string]string) Object{"typed": typed, "unstructured": untyped} {
		before, after := form(map[string]string{"config.yaml": "1", "config": "1"}), form(map[string]string{"config.yaml": "2", "config": "1"})
		for what, d := range map[string]*diff.Diff{"updated": diff.New(before, after, nil), "created": diff.New(nil, after, nil)} {
			if !d.Touches("data.config.yaml") {
				t.Errorf("%s, %s: data.config.yaml is not touched by %s", name, what, d)
			}
		}
		if d := diff.New(before, after, nil); d.Touches("data.config") || d.Touches("data[config]") || d.Touches(`data["config.json"]`) {
			t.Errorf("%s: another key is touched by %s", name, d)
		}
	}
}

// metaOnly is an object from a watch that shows only metadata.
func metaOnly(uid types.UID, version string, labels map[string]string) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: uid, ResourceVersion: version, Labels: labels},
	}
}
