package diff

import (
	"encoding/base64"
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

// safe makes Secrets, and remembers what must not be seen.
type safe struct {
	samples.Dice
	values []string // of all Secrets so far, as text and in base64
}

// secret makes a value that must not be seen.
func (s *safe) secret() string {
	text := fmt.Sprintf("s3cr3t-%016x", s.Uint64())
	s.values = append(s.values, text, base64.StdEncoding.EncodeToString([]byte(text)))
	return text
}

// typed makes a Secret that other tools have left their annotations on.
func (s *safe) typed() *corev1.Secret {
	secret := &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"app": s.OneOf("x", "y").(string)}},
		Type:       corev1.SecretType(s.OneOf("Opaque", "other").(string)),
	}
	if s.Often() {
		secret.Data = map[string][]byte{}
		for range s.IntN(4) {
			secret.Data[s.OneOf("password", "tls.key", "c").(string)] = []byte(s.secret())
		}
	}
	if s.Often() {
		secret.StringData = map[string]string{"password": s.secret()}
	}
	if s.Often() {
		secret.Annotations = map[string]string{
			corev1.LastAppliedConfigAnnotation: fmt.Sprintf(`{"data":{"password":%q},"stringData":{"x":%q}}`, base64.StdEncoding.EncodeToString([]byte(s.secret())), s.secret()),
			"example.com/another":              s.secret(),
		}
	}
	return secret
}

// odd makes what no server would let in: no schema fits, and values are where keys are
// not expected to have some.
func (s *safe) odd() *unstructuredv1.Unstructured {
	content := map[string]any{"metadata": map[string]any{"name": "a"}, "kind": s.OneOf("Secret", "Secret", "")}
	if s.Often() {
		content["apiVersion"] = "v1"
	}
	for _, name := range []string{"data", "stringData", "foo"} {
		content[name] = s.OneOf(s.secret(), []any{s.secret()}, map[string]any{"k": s.secret()}, map[string]any{"k": []any{s.secret()}},
			map[string]any{"k": map[string]any{s.secret(): s.secret()}}, int64(3), nil)
	}
	content["metadata"].(map[string]any)["annotations"] = s.OneOf(s.secret(), map[string]any{"a": s.secret()}, map[string]any{"a": map[string]any{s.secret(): "x"}})
	return &unstructuredv1.Unstructured{Object: content}
}

// form turns a Secret into one of the forms that caches have.
func (s *safe) form(t *testing.T, secret *corev1.Secret) Object {
	t.Helper()
	switch s.IntN(4) {
	case 0:
		secret.TypeMeta = metav1.TypeMeta{} // as typed clients return it
		return secret
	case 1:
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(secret)
		if err != nil {
			t.Fatal(err)
		}
		return &unstructuredv1.Unstructured{Object: content}
	case 2:
		meta := &metav1.PartialObjectMetadata{TypeMeta: secret.TypeMeta, ObjectMeta: secret.ObjectMeta}
		if s.Seldom() {
			meta.TypeMeta = metav1.TypeMeta{}
		}
		return meta
	default:
		return secret
	}
}

// lookFor fails if a value of a Secret is in the text, in any spelling that we know.
func (s *safe) lookFor(t *testing.T, text string) {
	t.Helper()
	for _, value := range s.values {
		for _, spelt := range []string{value, base64.StdEncoding.EncodeToString([]byte(value)), fmt.Sprintf("%x", value), strings.Trim(fmt.Sprintf("%d", []byte(value)), "[]")} {
			if at := strings.Index(text, spelt); at >= 0 {
				t.Fatalf("%s is seen in\n…%s", value, text[max(0, at-300):min(len(text), at+300)])
			}
		}
	}
}
