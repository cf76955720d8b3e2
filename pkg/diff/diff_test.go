package diff

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	unstructuredv1 "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/testing/samples"
)

func TestDiffOfDeployments(t *testing.T) {
	five := int32(5)
	for _, c := range []struct {
		name   string
		change func(d *appsv1.Deployment)
		want   string // as text
	}{
		{"nothing", func(*appsv1.Deployment) {}, "no changes"},
		{"noise", func(d *appsv1.Deployment) {
			d.ResourceVersion = "2"
			d.SetSelfLink("x")
			d.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "me", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{}}`)}}
		}, "no changes"},
		{"several", func(d *appsv1.Deployment) {
			d.Spec.Replicas = &five
			d.Labels["app"] = "web"
			d.Spec.Template.Spec.Containers = d.Spec.Template.Spec.Containers[:1]
		}, `spec.replicas: 3 → 5, -spec.template.spec.containers[name="side"], +metadata.labels[app]="web"`},
		{"status", func(d *appsv1.Deployment) {
			d.Status.Conditions = []appsv1.DeploymentCondition{{Type: "Available", Status: "True"}}
			d.Labels["a"] = "b"
		}, `+metadata.labels[a]="b", +status.conditions=[{"lastTransitionTime":null,"lastUpdateTime":null,"status":"True","type":"Available"}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := New(samples.Web(), samples.Web(c.change), samples.Builtin)
			if d.Err() != nil || d.String() != c.want {
				t.Errorf("got  %s (error %v)\nwant %s", d, d.Err(), c.want)
			}
			if d.Empty() != (c.want == "no changes") {
				t.Errorf("Empty() = %v", d.Empty())
			}
			paths, edits := slices.Collect(d.Paths()), slices.Collect(d.Edits())
			for i, e := range edits {
				if paths[i] != e.Path || !d.Touches(e.Path) {
					t.Errorf("edit %v is of path %s, and touched: %v", e, paths[i], d.Touches(e.Path))
				}
			}
		})
	}
}

func TestTouches(t *testing.T) {
	d := New(samples.Web(), samples.Web(func(d *appsv1.Deployment) {
		d.Spec.Template.Spec.Containers[0].Image = "web:2"
		d.Annotations = map[string]string{"a": "b"}
		d.Finalizers = []string{"x"}
		d.Spec.Template.Spec.Volumes = []corev1.Volume{{Name: "v"}}
	}), samples.Builtin)
	for path, want := range map[string]bool{
		"":              true,
		"spec":          true,
		"spec.replicas": false,
		"status":        false,
		`spec.template.spec.containers[name="app"]`:        true,
		`spec.template.spec.containers[name="app"].image`:  true,
		`spec.template.spec.containers[*].image`:           true,
		`spec.template.spec.containers[*].args`:            false,
		`spec.template.spec.containers[name="side"].image`: false,
		`metadata.labels["app.kubernetes.io/name"]`:        false,
		`metadata.annotations`:                             true,
		`metadata.annotations[a]`:                          true,
		`metadata.annotations[c]`:                          false, // the annotations came, and a is the only one
		`metadata.finalizers[="x"]`:                        true,
		`metadata.finalizers["x"]`:                         true,
		`metadata.finalizers["y"]`:                         false,
		`spec.template.spec.volumes[name="v"].name`:        true,
		`spec.template.spec.volumes[name="w"]`:             false,
		`spec.template.spec.volumes[0].name`:               true,
		`spec.template.spec.volumes[*].secret`:             false,
		`spec.template.spec.volumes[1]`:                    false,
		"metadata.resourceVersion":                         true, // is not compared
		"metadata.managedFields[0].manager":                true,
		"spec..replicas":                                   true, // not a path
		"metadata.labels.app.kubernetes.io/name":           true,
	} {
		if got := d.Touches(path); got != want {
			t.Errorf("Touches(%s) = %v, want %v", path, got, want)
		}
	}
	if d.Touches() || !d.Touches("status", "spec") {
		t.Error("one of several paths is touched and they are not, or no path is touched")
	}
	if same := samples.Web(); New(same, same, nil).Touches("metadata.resourceVersion") || New(nil, nil, nil).Touches("spec") {
		t.Error("an object touches its own version")
	}
}

func TestCreatedAndDeleted(t *testing.T) {
	var none *appsv1.Deployment
	created := New(none, samples.Web(), samples.Builtin)
	if got, want := created.String(), `created: +spec={"replicas":3,"selector":{"matchLabels":{"app":"web"}},"strategy":{},`; !strings.HasPrefix(got, want) {
		t.Errorf("got %s, want %s…", got, want)
	}
	if !created.Touches("spec.replicas") || created.Touches("spec.paused") || !created.Touches("metadata.name") || created.Touches("metadata.labels[app]") {
		t.Errorf("touches something else than what was created: %s", created)
	}
	deleted := New(samples.Web(), none, samples.Builtin)
	if got := deleted.String(); got != "deleted" {
		t.Errorf("got %s, want deleted", got)
	}
	if !deleted.Touches("spec.replicas") || deleted.Touches("spec.paused") || deleted.Empty() {
		t.Errorf("touches something else than what was deleted")
	}
	if got := fmt.Sprintf("%#v %d", deleted, deleted); got != "deleted deleted" {
		t.Errorf("other verbs print %s", got)
	}
	if got, err := json.Marshal(deleted); err != nil || string(got) != `"deleted"` {
		t.Errorf("in JSON it is %s (error %v)", got, err)
	}
}

func TestWithoutSchema(t *testing.T) {
	after := samples.Web(func(d *appsv1.Deployment) {
		d.Spec.Template.Spec.Containers[0].Image = "web:2"
		d.Labels["app"] = "web"
		d.Labels["a.b"] = "c"
	})
	r := &samples.Refusing{}
	for _, schemas := range []Schemas{nil, r} {
		d := New(samples.Web(), after, schemas)
		if r.Calls != 0 {
			t.Error("it compares before the first question")
		}
		paths := slices.Collect(d.Paths())
		if want := []string{"spec.template.spec.containers", `metadata.labels["a.b"]`, "metadata.labels[app]"}; !slices.Equal(paths, want) || d.Err() != nil {
			t.Errorf("got %q (error %v), want %q", paths, d.Err(), want)
		}
		if !d.Touches(`spec.template.spec.containers[name="side"].image`) {
			t.Error("a list that is one value changed, so no element can be ruled out")
		}
	}
	if r.Calls != 1 {
		t.Errorf("asked for a schema %d times, want once", r.Calls)
	}
}

// odd has a field of a type that the comparison by reflection does not know.
type odd struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Numbers           []uint64 `json:"numbers,omitempty"`
}

func (o *odd) DeepCopyObject() runtime.Object { return o }

// hopeless can't be converted to an object.
type hopeless struct {
	odd
	Channel chan int `json:"channel,omitempty"`
}

func TestOddTypes(t *testing.T) {
	d := New(&odd{Numbers: []uint64{1}}, &odd{Numbers: []uint64{2}}, nil)
	if got := d.String(); got != "numbers: [1] → [2]" {
		t.Errorf("got %s (error %v)", got, d.Err())
	}
	before, after := &odd{Numbers: []uint64{1}}, &odd{Numbers: []uint64{1}}
	before.Labels = map[string]string{"a": "1"}
	if other := New(before, after, nil); other.Touches("numbers[0]") || other.Touches("numbers[1]") {
		t.Errorf("numbers are touched by %s", other)
	}
	bad := New(nil, &hopeless{Channel: make(chan int)}, nil)
	if bad.Err() == nil || !bad.Touches("anything") || bad.Empty() || !strings.HasPrefix(bad.String(), "unknown changes: compare two states of *diff.hopeless: ") {
		t.Errorf("got %s, error %v", bad, bad.Err())
	}
}

// pointing has a pointer to its metadata, so a shallow copy shares the metadata.
type pointing struct {
	metav1.TypeMeta    `json:",inline"`
	*metav1.ObjectMeta `json:"metadata,omitempty"`
}

func (p *pointing) DeepCopyObject() runtime.Object { return p }

func TestObjectsStayAsTheyAre(t *testing.T) {
	fields := []metav1.ManagedFieldsEntry{{Manager: "me"}}
	u := &unstructuredv1.Unstructured{Object: map[string]any{"kind": "A", "metadata": map[string]any{"managedFields": []any{map[string]any{"manager": "me"}}}}}
	for _, obj := range []Object{
		&pointing{ObjectMeta: &metav1.ObjectMeta{ManagedFields: fields}},
		&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{ManagedFields: fields}}, u,
	} {
		if d := New(obj, nil, nil); d.Err() != nil || d.Touches("metadata.labels") {
			t.Errorf("%T: %s", obj, d)
		}
		if len(obj.GetManagedFields()) != 1 {
			t.Errorf("%T lost its managed fields", obj)
		}
	}
}

func TestDifferentForms(t *testing.T) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(samples.Web(func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[1].Image = "side:2" }))
	if err != nil {
		t.Fatal(err)
	}
	d := New(samples.Web(), &unstructuredv1.Unstructured{Object: content}, samples.Builtin)
	if got, want := d.String(), `spec.template.spec.containers[name="side"].image: "side:1" → "side:2"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	before := &metav1.PartialObjectMetadata{TypeMeta: samples.Web().TypeMeta, ObjectMeta: samples.Web().ObjectMeta}
	after := before.DeepCopy()
	after.Labels["a.b/c"] = "d"
	if got, want := New(before, after, samples.Builtin).String(), `+metadata.labels["a.b/c"]="d"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestWhatCountsComesFirst has a deletion, and a condition that has changed.
func TestWhatCountsComesFirst(t *testing.T) {
	now := metav1.Now()
	before := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	before.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("Deployment"))
	before.Status.Conditions = []appsv1.DeploymentCondition{{Type: "Ready", Status: "False", LastTransitionTime: metav1.Unix(1, 0)}}
	after := before.DeepCopy()
	after.DeletionTimestamp, after.DeletionGracePeriodSeconds = &now, new(int64(0))
	after.Status.Conditions[0] = appsv1.DeploymentCondition{Type: "Ready", Status: "True", Reason: "Up", LastTransitionTime: now}
	var got []string
	for text := range New(before, after, samples.Builtin).Paths() {
		got = append(got, text)
	}
	condition := `status.conditions[type="Ready"].`
	want := []string{"metadata.deletionTimestamp", "metadata.deletionGracePeriodSeconds", condition + "reason", condition + "status", condition + "lastTransitionTime"}
	if !slices.Equal(got, want) {
		t.Errorf("the paths are %q, want %q", got, want)
	}
}

// In TestDiffIsForEverybody several goroutines call all methods of one Diff at the same time.
func TestDiffIsForEverybody(t *testing.T) {
	before, after := samples.Web(), samples.Web(func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "web:2" })
	d := New(before, after, samples.Builtin)
	group := lifecycle.New(t.Context())
	for i := range 4 {
		group.Guest(fmt.Sprint("reader ", i), func(context.Context) {
			for range 20 {
				if d.Empty() || !d.Touches("spec") || d.Touches("status") || d.String() == "" {
					t.Errorf("wrong answer: %s, %v", d, d.Err())
				}
				for e := range d.Edits() {
					_ = e.String()
				}
			}
		})
	}
	group.Stop()
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
}

// byValue is an object that is not a pointer, and can't be compared by ==.
type byValue struct {
	*unstructuredv1.Unstructured
	names []string
}

// TestStrangeObjects has objects that no cache holds.
func TestStrangeObjects(t *testing.T) {
	strange := func(v any) Object {
		return &unstructuredv1.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "A", "spec": v}}
	}
	value := func(v any) Object {
		return byValue{Unstructured: strange(v).(*unstructuredv1.Unstructured), names: []string{"a"}}
	}
	type number struct{ A uint64 }
	for _, c := range []struct {
		before, after Object
		want          string
	}{
		{strange([]string{"a"}), strange([]string{"b"}), `spec: ["a"] → ["b"]`},
		{strange(map[string]string{"a": "b"}), strange(map[string]string{"a": "c"}), `spec.a: "b" → "c"`},
		{strange(number{1}), strange(number{2}), "spec.A: 1 → 2"},
		{strange(map[string]any{"n": 3}), strange(map[string]any{"n": int64(3), "f": float32(1)}), "+spec.f=1"},
		{value("a"), value("b"), `spec: "a" → "b"`},
	} {
		d := New(c.before, c.after, samples.Builtin)
		if got := d.String(); got != c.want || d.Err() != nil {
			t.Errorf("got %s (error %v), want %s", got, d.Err(), c.want)
		}
	}
	d := New(strange(make(chan int)), strange(make(chan int)), nil)
	if d.Err() == nil || d.Empty() || !d.Touches("metadata.name") {
		t.Errorf("got %s, want an error", d)
	}
}
