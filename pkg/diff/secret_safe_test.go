package diff

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	unstructuredv1 "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/delta-runtime/delta-runtime/internal/testing/samples"
)

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
