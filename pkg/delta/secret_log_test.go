package delta

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/delta-runtime/delta-runtime/internal/testing/samples"
)

// credentials is a program's own Go type for v1 Secrets.
type credentials struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Data              map[string][]byte `json:"data,omitempty"`
	Rest              string            `json:"rest,omitempty"`
}

func (c *credentials) DeepCopyObject() runtime.Object { return c }

// String shows everything, as the generated types of Kubernetes do.
func (c *credentials) String() string { return fmt.Sprintf("%s %s %s", c.Data, c.Rest, c.Annotations) }

// own turns a Secret into the program's own type, which does not say its kind.
func own(secret *corev1.Secret) *credentials {
	return &credentials{ObjectMeta: secret.ObjectMeta, Data: secret.Data, Rest: secret.StringData["password"]}
}

// asMap and asMetadata are a Secret in its other forms.
func asMap(t *testing.T, secret *corev1.Secret) Object {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(secret)
	if err != nil {
		t.Fatal(err)
	}
	return &unstructured.Unstructured{Object: content}
}

func asMetadata(secret *corev1.Secret) Object {
	return &metav1.PartialObjectMetadata{TypeMeta: secret.TypeMeta, ObjectMeta: secret.ObjectMeta}
}

// logged is what loggers write about some values.
func logged(t *testing.T, things ...any) string {
	t.Helper()
	var b bytes.Buffer
	toB := func(prefix, args string) { b.WriteString(prefix + args) }
	loggers := []logr.Logger{
		logr.FromSlogHandler(slog.NewJSONHandler(&b, nil)), logr.FromSlogHandler(slog.NewTextHandler(&b, nil)),
		funcr.New(toB, funcr.Options{}), funcr.NewJSON(func(text string) { b.WriteString(text) }, funcr.Options{}),
		zap.New(zap.WriteTo(&b)), zap.New(zap.WriteTo(&b), zap.UseDevMode(true)),
	}
	for _, thing := range things {
		slog.New(slog.NewJSONHandler(&b, nil)).Info("told", "thing", thing, "within", []any{thing}, "field", struct{ Thing any }{thing})
		slog.New(slog.NewTextHandler(&b, nil)).Info("told", "thing", thing, "within", []any{thing})
		for _, log := range loggers {
			log.Info("told", "thing", thing, "within", []any{thing}, "field", struct{ Thing any }{thing}, "map", map[string]any{"thing": thing})
		}
		fmt.Fprintf(&b, "%v\n%+v\n%#v\n%s\n%q\n%d\n%x\n", thing, thing, thing, thing, thing, thing, thing)
		fmt.Fprintf(&b, "%v\n%+v\n%#v\n%d\n", []any{thing}, map[string]any{"a": thing}, struct{ Thing any }{thing}, []any{thing})
		text, err := json.Marshal([]any{thing, &thing})
		if err != nil {
			t.Error(err)
		}
		b.Write(text)
	}
	return b.String()
}

// secretOf is a Secret with a value in each place where one can be.
func secretOf(value string) *corev1.Secret {
	encoded := base64.StdEncoding.EncodeToString([]byte(value))
	return &corev1.Secret{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Name: "a", Annotations: map[string]string{
			corev1.LastAppliedConfigAnnotation: fmt.Sprintf(`{"data":{"password":%q},"stringData":{"x":%q}}`, encoded, value), "example.com/another": value,
		}},
		Data: map[string][]byte{"password": []byte(value)}, StringData: map[string]string{"password": value},
	}
}

// TestSecretsAreNotLogged has Secrets in changes, differences and deltas, and looks for their
// values in what every logger writes. A program's own type does not say that it is a Secret.
func TestSecretsAreNotLogged(t *testing.T) {
	kind := corev1.SchemeGroupVersion.WithKind("Secret")
	const was, is = "s3cr3t-before", "s3cr3t-after"
	before, after, typed := own(secretOf(was)), own(secretOf(is)), secretOf(is)
	things := []any{
		Delta[Object]{Op: Updated, Key: Key{Name: "a"}, Old: before, New: after}, &Delta[any]{Op: Updated, Old: secretOf(was), New: typed},
		Delta[*corev1.Secret]{Op: Updated, Old: typed, New: typed}, Delta[*credentials]{Op: Added, New: after}, Delta[corev1.Secret]{Op: Added, New: *typed},
	}
	for _, c := range []Change{
		{Op: Updated, Old: before, New: after}, {Op: Updated, Old: before, New: typed}, {Op: Updated, Old: secretOf(was), New: typed}, {Op: Added, New: after}, {Op: Deleted, Old: before, New: after},
		{Op: Updated, Old: asMap(t, secretOf(was)), New: asMap(t, typed)}, {Op: Updated, Old: asMetadata(secretOf(was)), New: asMetadata(typed)},
	} {
		things = append(things, Delta[Object]{Op: c.Op, Key: Key{Name: "a"}, Old: c.Old, New: c.New})
		c.Cause, c.Kind, c.Key = Primary, kind, Key{Name: "a"}
		things = append(things, c, &c, NewChanges(c), []Change{c}, c.Diff(), slices.Collect(c.Diff().Edits()), slices.Collect(c.Diff().Paths()))
	}
	text := logged(t, things...)
	for _, value := range []string{was, is} {
		for _, spelt := range []string{value, base64.StdEncoding.EncodeToString([]byte(value)), fmt.Sprintf("%x", value), strings.Trim(fmt.Sprintf("%d", []byte(value)), "[]")} {
			if at := strings.Index(text, spelt); at >= 0 {
				t.Fatalf("%s is seen in\n…%s", value, text[max(0, at-300):min(len(text), at+300)])
			}
		}
	}
}

// TestWhatLogsShow checks what a log shows of a change. It has to be enough to identify the
// change.
func TestWhatLogsShow(t *testing.T) {
	change := Change{
		Cause: Owned, Kind: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, Key: Key{Namespace: "shop", Name: "web"},
		Op: Updated, Old: samples.Web(), New: samples.Web(), Deltas: 2,
	}
	want := `{"cause":"Owned","kind":"Deployment","namespace":"shop","name":"web","op":"Updated","deltas":2}`
	if text, err := json.Marshal(change); err != nil || string(text) != want {
		t.Errorf("got  %s (error %v)\nwant %s", text, err, want)
	}
	told := NewChanges(change, Change{Cause: Timer}).Assume(Circumstances{Lacking: "a test"})
	want = `{"changes":[` + want + `,{"cause":"Timer","deltas":1}],"attempt":1,"complete":false,"incomplete":"a test"}`
	if text, err := json.Marshal(told); err != nil || string(text) != want {
		t.Errorf("got  %s (error %v)\nwant %s", text, err, want)
	}
	d := Delta[Object]{Op: Deleted, Key: change.Key, Missed: true, Version: "7", Old: samples.Web()}
	want = `{"op":"Deleted","namespace":"shop","name":"web","version":"7","missed":true}`
	if text, err := json.Marshal(d); err != nil || string(text) != want {
		t.Errorf("got  %s (error %v)\nwant %s", text, err, want)
	}
	if got, want := fmt.Sprintf("%v %+v", d, &d), "Deleted shop/web unnoticed Deleted shop/web unnoticed"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var b bytes.Buffer
	slog.New(slog.NewJSONHandler(&b, nil)).Info("told", "change", change, "told", told, "delta", d)
	for _, part := range []string{`"change":{"cause":"Owned"`, `"told":{"changes":[{"cause":"Owned"`, `"delta":{"op":"Deleted"`} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("a log lacks %s: %s", part, b.String())
		}
	}
}
