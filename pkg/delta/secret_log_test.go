package delta

import (
	"slices"

	"github.com/delta-runtime/delta-runtime/pkg/diff"

	"github.com/delta-runtime/delta-runtime/internal/testing/secrets"

	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/delta-runtime/delta-runtime/internal/testing/samples"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
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

// rendered is everything that some differences show.
func rendered(t *testing.T, all ...*diff.Diff) (text string) {
	t.Helper()
	for _, d := range all {
		edits := slices.Collect(d.Edits())
		text += secrets.Rendered(t, d, []*diff.Diff{d}, edits, map[string]any{"d": d}, struct{ Diff *diff.Diff }{d}, d.Err(), slices.Collect(d.Paths()))
		for _, e := range edits {
			text += secrets.Rendered(t, e, &e, e.Before, e.After, e.String())
		}
	}
	return text
}

// TestSecretsAreNotLogged has random Secrets in changes and deltas, and looks for their
// values in what every logger writes.
func TestSecretsAreNotLogged(t *testing.T) {
	kind := corev1.SchemeGroupVersion.WithKind("Secret")
	seeds.Each(t, 60, func(t *testing.T, seed uint64) {
		s := &secrets.Safe{Dice: samples.NewDice(seed)}
		before, after := s.Typed(), s.Typed()
		change := Change{Cause: Primary, Kind: kind, Key: Key{Name: "a"}, Op: Updated, Old: s.Form(t, before), New: s.Form(t, after)}
		things := []any{
			change, &change, NewChanges(change), []Change{change},
			Delta[Object]{Op: Updated, Key: change.Key, Old: change.Old, New: change.New}, &Delta[any]{Op: Updated, Old: before, New: after},
			Delta[*corev1.Secret]{Op: Updated, Old: before, New: after}, Delta[*credentials]{Op: Added, New: own(after)},
			Delta[corev1.Secret]{Op: Added, New: *after},
		}
		for _, mine := range []Change{
			{Kind: kind, Op: Updated, Old: own(before), New: own(after)}, {Kind: kind, Op: Added, New: own(after)},
			{Kind: kind, Op: Deleted, Old: own(before), New: own(after)}, {Kind: kind, Op: Updated, Old: own(before), New: after},
		} {
			things = append(things, mine, mine.Diff(), NewChanges(mine))
			s.LookFor(t, rendered(t, mine.Diff()))
		}
		s.LookFor(t, logged(t, things...))
	})
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
