package diff

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	unstructuredv1 "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/delta-runtime/delta-runtime/internal/testing/samples"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

// rendered is everything that a diff shows, in every form.
func rendered(t *testing.T, d *Diff) string {
	t.Helper()
	edits := slices.Collect(d.Edits())
	things := []any{d, []*Diff{d}, edits, map[string]any{"d": d}, struct{ Diff *Diff }{d}, d.Err(), slices.Collect(d.Paths()), d.String()}
	for _, e := range edits {
		things = append(things, e, &e, e.Before, e.After, e.String())
	}
	var b strings.Builder
	for _, thing := range things {
		fmt.Fprintf(&b, "%v\n%+v\n%#v\n%s\n%q\n%d\n", thing, thing, thing, thing, thing, thing)
		if err, ok := thing.(error); ok {
			thing = err.Error()
		}
		text, err := json.Marshal(thing)
		if err != nil {
			t.Error(err)
		}
		b.Write(text)
	}
	return b.String()
}

// TestSecretsAreNotShown looks for secret values in everything that is rendered of random
// Secrets.
func TestSecretsAreNotShown(t *testing.T) {
	seeds.Each(t, diffSeeds, func(t *testing.T, seed uint64) {
		s := &safe{Dice: samples.NewDice(seed)}
		before, after := s.form(t, s.typed()), s.form(t, s.typed())
		if s.IntN(3) == 0 {
			before, after = s.odd(), s.odd()
		}
		for _, pair := range [][2]Object{{before, after}, {nil, after}, {before, nil}} {
			for _, schemas := range []Schemas{samples.Builtin, nil, quoting{}} {
				s.lookFor(t, rendered(t, New(pair[0], pair[1], schemas)))
			}
		}
	})
}

// quoting are schemas with errors that quote the object.
type quoting struct{}

func (quoting) ObjectToTyped(obj runtime.Object, _ ...typed.ValidationOptions) (*typed.TypedValue, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	return nil, fmt.Errorf("can't accept %v %v (error %v)", content, obj.(Object).GetAnnotations(), err)
}

// TestErrorsDoNotQuoteSecrets has a Secret that can't be compared.
func TestErrorsDoNotQuoteSecrets(t *testing.T) {
	s := &safe{Dice: samples.NewDice(1)}
	bad := &hopeless{Channel: make(chan int)}
	bad.Kind, bad.Annotations = "Secret", map[string]string{"a": s.secret()}
	d := New(nil, bad, quoting{})
	s.lookFor(t, rendered(t, d))
	if d.Err() == nil {
		t.Error("an object that can't be read is read")
	}
}

func TestSecretsTellWhichKeysChanged(t *testing.T) {
	before := &corev1.Secret{Data: map[string][]byte{"a": []byte("1"), "tls.key": []byte("1")}}
	after := &corev1.Secret{Data: map[string][]byte{"b": []byte("1"), "tls.key": []byte("2")}, ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "x"}}}
	d := New(before, after, samples.Builtin)
	if got, want := d.String(), `-data.a, +data.b=(hidden), data["tls.key"]: (hidden) → (hidden), +metadata.labels={"app":"x"}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if !d.Touches(`data["tls.key"]`) || !d.Touches("data.b") || d.Touches("data.c") {
		t.Error("the keys can't be asked for")
	}
	if got, want := New(nil, after, nil).String(), `created: +data={"b":"(hidden)","tls.key":"(hidden)"}, +metadata.labels={"app":"x"}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// embedding is a Secret in another Go type.
type embedding struct{ corev1.Secret }

func (e *embedding) DeepCopyObject() runtime.Object { return e }

func TestWhatIsTakenForASecret(t *testing.T) {
	for _, c := range []struct {
		obj  Object
		want bool
	}{
		{&corev1.Secret{}, true},
		{&embedding{}, true},
		{&metav1.PartialObjectMetadata{}, true},
		{&unstructuredv1.Unstructured{}, true},
		{&metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "Secret"}}, true},
		{&metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "Pod"}}, false},
		{&corev1.Pod{}, false},
		{&corev1.ConfigMap{}, false},
		{nil, false},
	} {
		if got := secretive(c.obj); got != c.want {
			t.Errorf("%T counts as a Secret: %v, want %v", c.obj, got, c.want)
		}
	}
}
