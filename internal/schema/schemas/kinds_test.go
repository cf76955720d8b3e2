package schemas_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/delta-runtime/delta-runtime/internal/schema/schemas"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

var gardens = schema.GroupVersion{Group: "example.com", Version: "v1"}

// Garden is the custom kind that testdata/openapi.json describes.
type Garden struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              GardenSpec `json:"spec"`
}

// GardenSpec has one list of each sort.
type GardenSpec struct {
	Beds   []Bed    `json:"beds,omitempty"`
	Tools  []string `json:"tools,omitempty"`
	Fences []string `json:"fences,omitempty"`
	New    int64    `json:"new,omitempty"` // not in the schema
}

// Bed has a key.
type Bed struct {
	Row    int64  `json:"row"`
	Side   string `json:"side,omitempty"` // "left" if it does not say
	Flower string `json:"flower,omitempty"`
}

// DeepCopyObject is shallow, because nothing here is changed.
func (g *Garden) DeepCopyObject() runtime.Object {
	other := *g
	return &other
}

func garden(change func(s *GardenSpec)) *Garden {
	g := &Garden{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: GardenSpec{
		Beds: []Bed{{Row: 1, Flower: "rose"}, {Row: 1, Side: "right", Flower: "lily"}}, Tools: []string{"rake", "spade"}, Fences: []string{"n", "s"},
	}}
	change(&g.Spec)
	return g
}

func grow(s *GardenSpec) {
	s.Beds = []Bed{{Row: 1, Side: "right", Flower: "tulip"}, {Row: 1, Flower: "rose"}}
	s.Tools, s.Fences = []string{"spade", "hose", "rake"}, []string{"s", "n"}
}

const (
	bySchema      = `spec.beds[row=1,side="right"].flower: "lily" → "tulip", spec.fences: ["n","s"] → ["s","n"], +spec.tools[="hose"]`
	withoutSchema = `spec.beds: [{"flower":"rose","row":1},{"flower":"lily","row":1,"side":"right"}] → ` +
		`[{"flower":"tulip","row":1,"side":"right"},{"flower":"rose","row":1}], spec.fences: ["n","s"] → ["s","n"], spec.tools: ["rake","spade"] → ["spade","hose","rake"]`
)

func compare(t *testing.T, s diff.Schemas, want string) {
	t.Helper()
	d := diff.New(garden(func(*GardenSpec) {}), garden(grow), s)
	if got := d.String(); got != want || d.Err() != nil {
		t.Errorf("got  %s (error %v)\nwant %s", got, d.Err(), want)
	}
}

func TestSchemasOfCustomKinds(t *testing.T) {
	s := newServer(t)
	all := withoutNetwork(t, s)
	s.wasAsked(t, 0)
	for range 3 {
		compare(t, all, bySchema)
	}
	s.wasAsked(t, 1)

	form := func(g *Garden) *unstructured.Unstructured {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(g)
		must(t, err)
		u := &unstructured.Unstructured{Object: content}
		u.SetGroupVersionKind(gardens.WithKind("Garden"))
		return u
	}
	if got := diff.New(form(garden(func(*GardenSpec) {})), form(garden(grow)), all).String(); got != bySchema {
		t.Errorf("unstructured: got %s, want %s", got, bySchema)
	}
	meta := func(finalizers ...string) *metav1.PartialObjectMetadata {
		m := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "a", Finalizers: finalizers}}
		m.SetGroupVersionKind(gardens.WithKind("Garden"))
		return m
	}
	if got, want := diff.New(meta("x", "y"), meta("z", "x"), all).String(), `-metadata.finalizers[="y"], +metadata.finalizers[="z"]`; got != want {
		t.Errorf("metadata: got %s, want %s", got, want)
	}
	s.wasAsked(t, 1)
	other := form(garden(grow))
	other.SetAPIVersion("other.com/v1")
	if got := diff.New(nil, other, all); got.Err() != nil || !got.Touches("spec.beds") {
		t.Errorf("a kind that the server does not describe: %s, error %v", got, got.Err())
	}
	s.wasAsked(t, 2)
}

// TestSchemasOfBuiltinKinds are those of client-go while the server does not describe the kinds.
func TestSchemasOfBuiltinKinds(t *testing.T) {
	s := newServer(t)
	all := withoutNetwork(t, s)
	deployment := func(images ...string) *appsv1.Deployment { // which does not say its kind
		d := &appsv1.Deployment{}
		for i, image := range images {
			d.Spec.Template.Spec.Containers = append(d.Spec.Template.Spec.Containers, corev1.Container{Name: fmt.Sprint("c", i), Image: image})
		}
		return d
	}
	before := deployment("a", "b")
	for range 3 {
		d := diff.New(before, deployment("a", "c"), all)
		if got, want := d.String(), `spec.template.spec.containers[name="c1"].image: "b" → "c"`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if before.Kind != "" {
		t.Error("the object has been changed")
	}
	s.wasAsked(t, 1)
	if _, err := all.ObjectToTyped(&metav1.Status{}); err == nil {
		t.Error("a type without a kind has a schema")
	}
	review := &authenticationv1.TokenReview{}
	if _, err := all.ObjectToTyped(review); err == nil || !strings.Contains(err.Error(), "not found") || !strings.Contains(err.Error(), "no type found") {
		t.Errorf("a kind that neither the server nor client-go describes: %v", err)
	}
}

// TestSchemasThatChange has objects that do not fit the schema that was read first.
func TestSchemasThatChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		right := s.text
		s.text = strings.ReplaceAll(right, `"type": "array"`, `"type": "string"`)
		all := withoutNetwork(t, s)
		compare(t, all, withoutSchema)
		s.set(func(s *server) { s.text = right })
		compare(t, all, withoutSchema)
		s.wasAsked(t, 1)
		time.Sleep(time.Minute)
		compare(t, all, withoutSchema) // and finds that it is time to ask
		compare(t, all, bySchema)
		s.wasAsked(t, 2)

		unknown := diff.New(garden(func(*GardenSpec) {}), garden(func(s *GardenSpec) { s.New = 3 }), all)
		if got := unknown.String(); got != "+spec.new=3" {
			t.Errorf("a field that the schema does not know: %s", got)
		}
		s.wasAsked(t, 2)
	})
}

// operator is what a manager knows of its server.
type operator struct {
	config *rest.Config
	client *http.Client
	scheme *runtime.Scheme
}

func (o *operator) GetConfig() *rest.Config     { return o.config }
func (o *operator) GetHTTPClient() *http.Client { return o.client }
func (o *operator) GetScheme() *runtime.Scheme  { return o.scheme }

// TestSchemasOfAManager asks for the schemas of managers with a server and without.
func TestSchemasOfAManager(t *testing.T) {
	s := newServer(t)
	mgr := &operator{&rest.Config{Host: "http://server"}, &http.Client{Transport: s}, gardenScheme(t)}
	all, err := schemas.Of(mgr)
	must(t, err)
	s.wasAsked(t, 0)
	compare(t, all, bySchema)
	s.wasAsked(t, 1)
	if all, err := schemas.Of(&operator{scheme: mgr.scheme}); all != nil || err != nil {
		t.Errorf("without a server there are %v, error %v", all, err)
	}
}
