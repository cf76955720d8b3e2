package path_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	unstructuredv1 "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/internal/testing/samples"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

// panicOf is the value that f panics with, or nil.
func panicOf(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

func TestMustPath(t *testing.T) {
	for text, want := range map[string]string{
		"":                                           "",
		".spec.replicas":                             "spec.replicas",
		"spec.template.spec.containers[*].image":     "spec.template.spec.containers[*].image",
		"spec.template.spec.containers[name=a]":      `spec.template.spec.containers[name="a"]`,
		"spec.template.spec.containers[0].ports":     "spec.template.spec.containers[0].ports",
		"metadata.labels.app":                        "metadata.labels[app]",
		`metadata.labels["app.kubernetes.io/name"]`:  `metadata.labels["app.kubernetes.io/name"]`,
		"metadata.labels[*]":                         "metadata.labels[*]",
		`metadata.finalizers["a/b"]`:                 `metadata.finalizers[="a/b"]`,
		"metadata.managedFields[*].fieldsV1.f:spec":  `metadata.managedFields[*].fieldsV1["f:spec"]`,
		"metadata.resourceVersion":                   "metadata.resourceVersion",
		"status.conditions[type=Available].status":   `status.conditions[type="Available"].status`,
		"spec.strategy.rollingUpdate.maxSurge":       "spec.strategy.rollingUpdate.maxSurge",
		"apiVersion":                                 "apiVersion",
		"spec.template.spec.nodeSelector.a":          "spec.template.spec.nodeSelector[a]",
		"spec.template.spec.containers[image=x]":     `spec.template.spec.containers[image="x"]`,
		"spec.template.spec.containers[*].ports[*]":  "spec.template.spec.containers[*].ports[*]",
		"spec.template.spec.securityContext.sysctls": "spec.template.spec.securityContext.sysctls",
	} {
		var got string
		if wrong := panicOf(func() { got = path.Must[*appsv1.Deployment](text) }); wrong != nil || got != want {
			t.Errorf("Must(%q) = %q, want %q (panic %v)", text, got, want, wrong)
		}
		if err := path.Check(&appsv1.Deployment{}, nil, text); err != nil {
			t.Errorf("Check(%q): %v", text, err)
		}
	}
}

func TestMustPathSaysWhatWasMeant(t *testing.T) {
	for text, meant := range map[string]string{
		"spec.replica":                               "spec.replicas",
		"Spec.replicas":                              "spec.replicas",
		"spec.relpicas":                              "spec.replicas",
		"spec.template.spec.container[*].image":      "spec.template.spec.containers[*].image",
		"spec.template.spec.containers[name=a].imag": `spec.template.spec.containers[name="a"].image`,
		"metadata.label.app":                         "metadata.labels[app]",
		"metadata.label":                             "metadata.labels",
		"spec.template.spec.nodeSelector.a.b":        `spec.template.spec.nodeSelector["a.b"]`,
		"spec.template.spec.nodeSelector.a.b/c.d":    `spec.template.spec.nodeSelector["a.b/c.d"]`,
		"Spec.Replicas":                              "", // one name is wrong at most
		"spec.replica.count":                         "",
		"spec.replicas.count":                        "",
		"spec[*].replicas":                           "",
		"spec.template.spec.containers.image":        "",
		"metadata.finalizers[=1]":                    "",
		"metadata.labels[0]":                         "",
		"metadata.labels[app].x":                     "",
		"spec.template.spec.nodeSelector[a].b":       "",
		"nothing.like.it":                            "",
		strings.Repeat("spec.", 1000) + "x":          "",
	} {
		var wrong *path.Error
		if err, ok := panicOf(func() { path.Must[*appsv1.Deployment](text) }).(error); !ok || !errors.As(err, &wrong) {
			t.Errorf("Must(%.50q) does not panic", text)
			continue
		}
		if wrong.Meant != meant || wrong.In != "apps/v1.Deployment" || wrong.Path != text || len(wrong.Error()) > 3*path.MaxPath+200 {
			t.Errorf("Must(%.50q): %+v, want that %s was meant", text, wrong, meant)
		}
		if meant != "" && path.Check(&appsv1.Deployment{}, nil, wrong.Meant) != nil {
			t.Errorf("the suggestion for %s can't exist either", text)
		}
	}
	for text, meant := range map[string]string{"data.tls.crt": `data["tls.crt"]`, "stringData.a.b.c": `stringData["a.b.c"]`, "data.a.b[0]": ""} {
		var wrong *path.Error
		if err := path.Check(&corev1.Secret{}, nil, text); !errors.As(err, &wrong) || wrong.Meant != meant {
			t.Errorf("Check(%q): %v, nil, want %s", text, err, meant)
		}
	}
	want := `path spec.replica can't exist in apps/v1.Deployment: spec has no field replica; did you mean spec.replicas?`
	if got := path.Check(&appsv1.Deployment{}, nil, "spec.replica"); got == nil || got.Error() != want {
		t.Errorf("got  %v\nwant %s", got, want)
	}
}

// upper has its own MarshalJSON, so its fields are not known.
type upper struct{ Inner map[string]string }

func (u upper) MarshalJSON() ([]byte, error) { return json.Marshal(u.Inner) }

// level is a scalar that is written as a text.
type level int

func (l level) MarshalText() ([]byte, error) { return []byte(time.Duration(l).String()), nil }

// embedded is embedded in outlandish.
type embedded struct {
	Inlined  string
	Shadowed map[string]string `json:"shadowed"`
	hidden   string
}

// unsaid has JSON of its own, and does not say what that is: apiextensions' JSON is such a type.
type unsaid struct{ Raw []byte }

func (u unsaid) MarshalJSON() ([]byte, error) {
	if u.Raw == nil {
		return []byte("null"), nil
	}
	return u.Raw, nil
}
func (*unsaid) UnmarshalJSON([]byte) error { return nil }
func (unsaid) OpenAPISchemaType() []string { return nil }

// deep and nearby are embedded in outlandish, and both have an x: that of nearby is nearer, though deep comes first.
type (
	deeper struct {
		X string `json:"x"`
	}
	deep   struct{ deeper }
	nearby struct {
		X branchy `json:"x"`
	}
)

// outlandish has every sort of field that a user's type may have.
type outlandish struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	*embedded         `json:",inline"`
	NoTag             int
	Left              string                `json:"-"`
	Dash              string                `json:"-,"` //nolint:staticcheck // the test needs such a field
	Again             *outlandish           `json:"again,omitempty"`
	Tree              map[string][]*branchy `json:"tree"`
	Raw               runtime.RawExtension  `json:"raw"`
	Any               any                   `json:"any"`
	Upper             upper                 `json:"upper"`
	Level             level                 `json:"level"`
	Bytes             []byte                `json:"bytes"`
	Quantity          *resource.Quantity    `json:"quantity"`
	IntOr             intstr.IntOrString    `json:"intOr"`
	When              time.Time             `json:"when"`
	For               metav1.Duration       `json:"for"`
	Grid              [][]int               `json:"grid"`
	Shadowed          string                `json:"shadowed"`
	Message           json.RawMessage       `json:"message"`
	Unsaid            unsaid                `json:"unsaid"`
	deep
	nearby
	Side branchy `json:",inline"` // encoding/json has a name for it
}

// unreadable also has a field that can't be compared.
type unreadable struct {
	outlandish `json:",inline"`
	Array      [2]byte      `json:"array"`
	Counts     map[int]bool `json:"counts"`
}

func (u *unreadable) DeepCopyObject() runtime.Object { return u }

type branchy struct {
	Name  string    `json:"name"`
	Below []branchy `json:"below"`
}

func (o *outlandish) DeepCopyObject() runtime.Object { return o }

func TestPathsOfOutlandishTypes(t *testing.T) {
	_ = embedded{}.hidden
	for _, nothing := range []path.Object{nil, (*appsv1.Deployment)(nil)} {
		if path.Check(nothing, nil, "spec.replica") == nil {
			t.Errorf("a wrong path of a %T passes", nothing)
		}
	}
	for text, legal := range map[string]bool{
		"Inlined": true, "hidden": false, "embedded": false, "NoTag": true, "noTag": false, "Left": false, "-": true, `["-"]`: true,
		"again.again.NoTag": true, "again.again.nothing": false, `tree.x[name=a].below[*].below[0].name`: true, "tree.x[*].other": false, "tree[*][*].name": true,
		"raw.whatever[0]": true, "any.whatever": true, "any[0]": true, "upper.x.y": true, "level.x": false, "bytes.x": false, "bytes[0]": false, "array[0]": true,
		"quantity": true, "quantity.x": false, "intOr": true, "intOr.intVal": false, "when.x": false, "for.x": false, "grid[0][1]": true, "grid[0][1][2]": false,
		"grid[*][=1]": true, `grid[*][="a"]`: false, "shadowed": true, "shadowed.x": false, `counts["3"]`: true, "counts.x.y": false, "message.x": true, "Side.name": true,
		"unsaid.a.b": true, "unsaid[0]": true, "x.name": true, "x.nothing": false,
		"kind": true, "metadata.uid": true, "metadata.ownerReferences[controller=true]": true, `metadata.ownerReferences[controller="true"]`: false,
		"metadata.ownerReferences[controller=null]": true, "metadata.ownerReferences[ownerReferences=x]": false, "spec[0": false,
	} {
		if err := path.Check(&unreadable{}, nil, text); (err == nil) != legal {
			t.Errorf("%s: %v, want legal %v", text, err, legal)
		}
	}
}

// TestPathsOfFormsThatDoNotTell has objects whose Go types do not say what fields they have.
func TestPathsOfFormsThatDoNotTell(t *testing.T) {
	known := samples.Custom
	untold := &unstructuredv1.Unstructured{Object: map[string]any{"apiVersion": "a.b/v1", "kind": "Custom"}}
	partial := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"}}
	for name, c := range map[string]struct {
		example path.Object
		schemas path.Schemas
		legal   map[string]bool
	}{
		"no schema":  {untold, nil, map[string]bool{"spec.x": true, "metadata.labels.a": true, "metadata.label": false, "kind.x": false, "metadata[0]": false}},
		"no kind":    {&unstructuredv1.Unstructured{}, samples.Builtin, map[string]bool{"spec.x": true, "metadata.name.x": false}},
		"unheard of": {untold, &samples.Refusing{}, map[string]bool{"spec.x": true}},
		"custom": {untold, known, map[string]bool{
			"spec.items[name=a,zone=z].tags[=x]": true, "spec.items[*].tag": false, "spec.free.a.b.c": true, "spec.atoms[0].x": false, "spec.atoms[0]": true,
			`spec.byName.p.x`: true, "spec.byName.p.y": false, "spec.byName.p.x.z": false, "spec.point.x": true, "spec.point.x.y": false, "status": false,
			"metadata.finalizers[=a]": true, "metadata.generateName": true, "spec.items[key=a]": false,
		}},
		"metadata alone":         {partial, nil, map[string]bool{"spec.replica": true, "metadata.labels": true, "metadata.lables": false}},
		"metadata with a schema": {partial, samples.Builtin, map[string]bool{"spec.replicas": true, "spec.replica": false, "metadata.lables": false}},
	} {
		for text, legal := range c.legal {
			if err := path.Check(c.example, c.schemas, text); (err == nil) != legal {
				t.Errorf("%s: %s: %v, want legal %v", name, text, err, legal)
			}
		}
	}
	if got := path.Must[*unstructuredv1.Unstructured](".spec.a"); got != "spec.a" {
		t.Errorf("got %s", got)
	}
	if got := path.Must[path.Object]("spec.a"); got != "spec.a" {
		t.Errorf("got %s", got)
	}
	if err := path.Check(partial, samples.Builtin, "spec.replica"); err == nil || !strings.HasPrefix(err.Error(), "path spec.replica can't exist in apps/v1 Deployment: ") {
		t.Errorf("got %v", err)
	}
}

// TestWhatADiffPrintsOfOutlandishTypesCanExist is about fields that no type of Kubernetes
// has.
func TestWhatADiffPrintsOfOutlandishTypesCanExist(t *testing.T) {
	before := &outlandish{embedded: &embedded{Inlined: "a", Shadowed: map[string]string{"a": "b"}}, Again: &outlandish{}, Dash: "x", Side: branchy{Name: "a"}}
	after := &outlandish{
		embedded: &embedded{Inlined: "b"}, NoTag: 1, Again: &outlandish{NoTag: 2, Shadowed: "a"}, Shadowed: "b", Side: branchy{Name: "b", Below: []branchy{{}}},
		Tree: map[string][]*branchy{"a.b": {{Name: "c"}}}, Raw: runtime.RawExtension{Raw: []byte(`{"a":{"b":[1]}}`)}, Any: map[string]any{"a": []any{"b"}},
		Upper: upper{map[string]string{"a": "b"}}, Level: 3, Bytes: []byte("a"), Quantity: new(resource.MustParse("1")), IntOr: intstr.FromString("a"),
		For: metav1.Duration{Duration: time.Second}, Grid: [][]int{{1}, {2, 3}}, Message: json.RawMessage(`{"a":1}`), Unsaid: unsaid{[]byte(`{"a":{"b":1}}`)},
	}
	paths := 0
	for _, d := range []*diff.Diff{diff.New(before, after, nil), diff.New(nil, after, nil), diff.New(after, before, nil)} {
		for text := range d.Paths() {
			paths++
			if err := path.Check(after, nil, text); err != nil {
				t.Error(err)
			}
		}
		if d.Err() != nil {
			t.Error(d.Err())
		}
	}
	if paths < 40 {
		t.Errorf("%d paths: the differences are not what they should be", paths)
	}
}

// FuzzCheckPath checks any text. If a path passes, its spelling passes again unchanged. If it
// does not pass, the suggested path does.
func FuzzCheckPath(f *testing.F) {
	for _, seed := range []string{"", "spec.replica", "/spec/a~1b", "{.spec[0]}", "data.tls.crt", `again.tree[*][0].below[name="x"].name`, "grid[=1][=2]", "counts.a.b", "raw.x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, example := range []path.Object{&unreadable{}, &appsv1.Deployment{}, &metav1.PartialObjectMetadata{}} {
			checked, _, err := path.KindOf(example).Check(text, nil)
			var wrong *path.Error
			switch {
			case err == nil:
				if again, _, err := path.KindOf(example).Check(checked.String(), nil); err != nil || again.String() != checked.String() {
					t.Errorf("%q is %s, and checked again %s (error %v)", text, checked, again, err)
				}
				if asked, err := path.Parse(text); err != nil || !asked.Touches(checked) {
					t.Errorf("%q and %s are about different places", text, checked)
				}
			case errors.As(err, &wrong) && wrong.Meant != "":
				if err := path.Check(example, nil, wrong.Meant); err != nil {
					t.Errorf("the suggestion for %q is wrong, too: %v", text, err)
				}
			}
		}
	})
}
