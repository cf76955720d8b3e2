package secrets

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	unstructuredv1 "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/internal/testing/samples"
)

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Safe makes Secrets, and remembers what must not be seen.
type Safe struct {
	samples.Dice
	Values []string // of all Secrets so far, as text and in base64
}

// Secret makes a value that must not be seen.
func (s *Safe) Secret() string {
	text := fmt.Sprintf("s3cr3t-%016x", s.Uint64())
	s.Values = append(s.Values, text, base64.StdEncoding.EncodeToString([]byte(text)))
	return text
}

// Typed makes a Secret that other tools have left their annotations on.
func (s *Safe) Typed() *corev1.Secret {
	secret := &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"app": s.OneOf("x", "y").(string)}},
		Type:       corev1.SecretType(s.OneOf("Opaque", "other").(string)),
	}
	if s.Often() {
		secret.Data = map[string][]byte{}
		for range s.IntN(4) {
			secret.Data[s.OneOf("password", "tls.key", "c").(string)] = []byte(s.Secret())
		}
	}
	if s.Often() {
		secret.StringData = map[string]string{"password": s.Secret()}
	}
	if s.Often() {
		secret.Annotations = map[string]string{
			lastApplied:           fmt.Sprintf(`{"data":{"password":%q},"stringData":{"x":%q}}`, base64.StdEncoding.EncodeToString([]byte(s.Secret())), s.Secret()),
			"example.com/another": s.Secret(),
		}
	}
	return secret
}

// Odd makes what no server would let in: no schema fits, and values are where keys are
// not expected to have some.
func (s *Safe) Odd() *unstructuredv1.Unstructured {
	content := map[string]any{"metadata": map[string]any{"name": "a"}, "kind": s.OneOf("Secret", "Secret", "")}
	if s.Often() {
		content["apiVersion"] = "v1"
	}
	for _, name := range []string{"data", "stringData", "foo"} {
		content[name] = s.OneOf(s.Secret(), []any{s.Secret()}, map[string]any{"k": s.Secret()}, map[string]any{"k": []any{s.Secret()}},
			map[string]any{"k": map[string]any{s.Secret(): s.Secret()}}, int64(3), nil)
	}
	content["metadata"].(map[string]any)["annotations"] = s.OneOf(s.Secret(), map[string]any{"a": s.Secret()}, map[string]any{"a": map[string]any{s.Secret(): "x"}})
	return &unstructuredv1.Unstructured{Object: content}
}

// Form turns a Secret into one of the forms that caches have.
func (s *Safe) Form(t *testing.T, secret *corev1.Secret) path.Object {
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

// LookFor fails if a value of a Secret is in the text, in any spelling that we know.
func (s *Safe) LookFor(t *testing.T, text string) {
	t.Helper()
	for _, value := range s.Values {
		for _, spelt := range []string{value, base64.StdEncoding.EncodeToString([]byte(value)), fmt.Sprintf("%x", value), strings.Trim(fmt.Sprintf("%d", []byte(value)), "[]")} {
			if at := strings.Index(text, spelt); at >= 0 {
				t.Fatalf("%s is seen in\n…%s", value, text[max(0, at-300):min(len(text), at+300)])
			}
		}
	}
}

// Rendered is what fmt and JSON make of some things.
func Rendered(t *testing.T, things ...any) string {
	t.Helper()
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
