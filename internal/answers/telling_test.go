package answers

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/inspector"
	"github.com/delta-runtime/delta-runtime/internal/journal"
	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// wide returns a ConfigMap with a thousand long values.
func wide(name string, version int) *corev1.ConfigMap {
	c := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: name, UID: "u", ResourceVersion: fmt.Sprint(1000 + version)},
		Data:       map[string]string{},
	}
	for k := range 1000 {
		c.Data[fmt.Sprint("key", k)] = fmt.Sprint(version, strings.Repeat("v", 600))
	}
	return c
}

// TestAnAnswerHasABound has eight objects that all requests depend on change at once. Each of many
// calls was told of all eight.
func TestAnAnswerHasABound(t *testing.T) {
	var told []delta.Change
	for n := range 8 {
		old, now := wide(fmt.Sprint("shared", n), 0), wide(fmt.Sprint("shared", n), 1)
		told = append(told, delta.Change{
			Cause: delta.Mapped, Kind: corev1.SchemeGroupVersion.WithKind("ConfigMap"), Key: delta.Key{Namespace: "demo", Name: old.Name},
			Op: delta.Updated, Old: old, New: now,
		})
	}
	o := New(Options{Runtime: managed.New()})
	calls := o.journal.Controller("site")
	for r := range 500 {
		calls.Note(journal.Call{Request: delta.Key{Name: fmt.Sprint(r)}, Result: journal.Success, Changes: delta.NewChanges(told...)})
	}
	began := time.Now()
	list := o.Reconciles(inspector.ReconcileQuery{Limit: 1000})
	text, err := json.Marshal(list)
	if err != nil || len(list.Items) != 500 || len(list.Items[499].Changes) != 8 {
		t.Fatalf("%d calls are listed, error %v", len(list.Items), err)
	}
	if len(text) > 4<<20 {
		t.Errorf("the answer has %d bytes", len(text))
	}
	if first := list.Items[0].Changes[0]; len(first.Edits) == 0 {
		t.Error("the first call shows nothing of what changed")
	}
	if last := list.Items[499].Changes[7]; !last.EditsLeftOut || len(last.Edits) != 0 {
		t.Errorf("the last call does not say that edits are left out: %t, %d", last.EditsLeftOut, len(last.Edits))
	}
	t.Logf("%d bytes after %v", len(text), time.Since(began))
}

// TestTwoStatesAreComparedOnce tells two requests of one change.
func TestTwoStatesAreComparedOnce(t *testing.T) {
	told := delta.NewChanges(delta.Change{Cause: delta.Mapped, Op: delta.Updated, Old: wide("shared", 0), New: wide("shared", 1)})
	as := tellingWith(nil)
	one, other := as.changesOf(told), as.changesOf(told)
	if len(as.compared) != 1 || len(one[0].Edits) == 0 || &one[0].Edits[0] != &other[0].Edits[0] {
		t.Errorf("%d pairs were compared", len(as.compared))
	}
}

// TestAnAnswerLeavesOutWhatItHasNoRoomFor has requests that wait because of more changes than any answer
// has room for, in one call and in all calls together.
func TestAnAnswerLeavesOutWhatItHasNoRoomFor(t *testing.T) {
	var told []delta.Change
	for n := range 30_000 {
		told = append(told, delta.Change{
			Cause: delta.Mapped, Kind: corev1.SchemeGroupVersion.WithKind("ConfigMap"), Op: delta.Added,
			Key: delta.Key{Namespace: "demo", Name: fmt.Sprint(strings.Repeat("n", 200), n)},
		})
	}
	for name, changes := range map[string][]delta.Change{"one call": told, "all calls": told[:64]} {
		t.Run(name, func(t *testing.T) {
			o := New(Options{Runtime: managed.New()})
			calls := o.journal.Controller("site")
			for r := range 1000 {
				calls.Note(journal.Call{
					Request: delta.Key{Name: fmt.Sprint(r)}, Result: journal.Error, Changes: delta.NewChanges(changes...),
					Err: errors.New(strings.Repeat("wrong ", 10_000)),
				})
			}
			list := o.Reconciles(inspector.ReconcileQuery{Limit: 1000})
			text, err := json.Marshal(list)
			if err != nil || len(text) > 2<<20 {
				t.Fatalf("the answer has %d bytes, error %v", len(text), err)
			}
			first, last := list.Items[0], list.Items[len(list.Items)-1]
			if len(list.Items) == 1000 || !strings.Contains(list.Cut, fmt.Sprintf("%d of ", len(list.Items))) {
				t.Errorf("%d calls are shown, and the answer says %q", len(list.Items), list.Cut)
			}
			if len(first.Changes) == 0 || len(last.Changes)+last.ChangesLeftOut != len(changes) {
				t.Errorf("the first call has %d changes, the last %d and %d more", len(first.Changes), len(last.Changes), last.ChangesLeftOut)
			}
		})
	}
}
