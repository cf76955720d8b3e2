package cache

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// byHand has no DeepCopyInto.
type byHand struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Notes []string
}

func (h *byHand) DeepCopyObject() runtime.Object {
	return &byHand{TypeMeta: h.TypeMeta, ObjectMeta: *h.ObjectMeta.DeepCopy(), Notes: slices.Clone(h.Notes)}
}

// byHandList is a list of pointers.
type byHandList struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []*byHand
}

func (l *byHandList) DeepCopyObject() runtime.Object { panic("not needed") }

// extended has the DeepCopyInto of the Pod in it, which does not copy the notes.
type extended struct {
	corev1.Pod
	Notes []string
}

func (e *extended) DeepCopyObject() runtime.Object {
	return &extended{Pod: *e.DeepCopy(), Notes: slices.Clone(e.Notes)}
}

// forgetful has not even a DeepCopyObject of its own.
type forgetful struct {
	corev1.Pod
	Notes []string
}

// throughJSON has a DeepCopyInto that keeps what its argument has and the object lacks, and adds
// to the maps that are there.
type throughJSON struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              map[string]any `json:"spec,omitempty"`
	Note              string         `json:"note,omitempty"`
}

func (o *throughJSON) DeepCopyInto(out *throughJSON) {
	text, err := json.Marshal(o)
	if err == nil {
		err = json.Unmarshal(text, out)
	}
	if err != nil {
		panic(err)
	}
}

func (o *throughJSON) DeepCopyObject() runtime.Object {
	out := new(throughJSON)
	o.DeepCopyInto(out)
	return out
}

// throughJSONList is an ordinary list.
type throughJSONList struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []throughJSON
}

func (l *throughJSONList) DeepCopyObject() runtime.Object { panic("not needed") }

// objectList has items of any type.
type objectList struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []runtime.Object
}

func (l *objectList) DeepCopyObject() runtime.Object { panic("not needed") }

// noList lacks Items.
type noList struct {
	metav1.TypeMeta
	metav1.ListMeta
}

func (l *noList) DeepCopyObject() runtime.Object { panic("not needed") }

func TestCopiesOfUnusualTypes(t *testing.T) {
	meta := metav1.ObjectMeta{Namespace: "a", Name: "one", Labels: map[string]string{"k": "v"}}
	t.Run("no DeepCopyInto", func(t *testing.T) {
		held := &byHand{ObjectMeta: meta, Notes: []string{"n"}}
		r := newTestReader(&byHand{}, nil)
		put(r, held)
		var out byHand
		must(t, r.Get(t.Context(), client.ObjectKeyFromObject(held), &out))
		if out.Notes[0] != "n" || &out.Notes[0] == &held.Notes[0] || out.Kind != "Pod" {
			t.Errorf("got %+v, which is not a private copy with its kind set", out)
		}
	})
	t.Run("DeepCopyInto of the embedded object", func(t *testing.T) {
		held := &extended{Pod: corev1.Pod{ObjectMeta: meta}, Notes: []string{"n"}}
		r := newTestReader(&extended{}, nil)
		put(r, held)
		var out extended
		must(t, r.Get(t.Context(), client.ObjectKeyFromObject(held), &out))
		if len(out.Notes) != 1 || &out.Notes[0] == &held.Notes[0] {
			t.Errorf("got notes %q, want a copy of n", out.Notes)
		}
	})
	t.Run("DeepCopyObject of the embedded object", func(t *testing.T) {
		held := &forgetful{Pod: corev1.Pod{ObjectMeta: meta}}
		r := newTestReader(&forgetful{}, nil)
		put(r, held)
		err := r.Get(t.Context(), client.ObjectKeyFromObject(held), &forgetful{})
		if err == nil || err.Error() != "cache had type *v1.Pod, but *cache.forgetful was asked for" {
			t.Errorf("got %v, want an error that tells the types", err)
		}
	})
}

// A read into memory that was used before shows the object alone, and leaves alone what else has
// that memory, such as the cache.
func TestReadsIntoUsedMemory(t *testing.T) {
	one := &throughJSON{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "one"}, Spec: map[string]any{"one": true}, Note: "n"}
	two := &throughJSON{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "two", Labels: map[string]string{"two": ""}}, Spec: map[string]any{"two": true}}
	for _, obj := range []*throughJSON{one, two} {
		obj.SetGroupVersionKind(podKind)
	}
	wantOne, wantTwo := one.DeepCopyObject(), two.DeepCopyObject()
	r := newTestReader(&throughJSON{}, nil)
	put(r, one, two)
	get := func(t *testing.T, of, out client.Object, opts ...client.GetOption) {
		t.Helper()
		must(t, r.Get(t.Context(), client.ObjectKeyFromObject(of), out, opts...))
	}
	check := func(t *testing.T, got runtime.Object) {
		t.Helper()
		if !equality.Semantic.DeepEqual(wantTwo, got) {
			t.Errorf("got %+v, want %+v and nothing else", got, wantTwo)
		}
		if !equality.Semantic.DeepEqual(wantOne, one) || !equality.Semantic.DeepEqual(wantTwo, two) {
			t.Errorf("the cache has %+v and %+v now, want %+v and %+v", one, two, wantOne, wantTwo)
		}
	}
	t.Run("of another object", func(t *testing.T) {
		out := one.DeepCopyObject().(*throughJSON)
		out.Labels, out.Finalizers = map[string]string{"one": ""}, []string{"one"}
		get(t, two, out)
		check(t, out)
	})
	t.Run("of a list", func(t *testing.T) {
		list := &throughJSONList{Items: []throughJSON{*one, *one}}
		must(t, r.List(t.Context(), list, client.MatchingLabels{"two": ""}))
		check(t, &list.Items[0])
	})
	t.Run("shared with the cache", func(t *testing.T) {
		out := new(throughJSON)
		get(t, one, out, client.UnsafeDisableDeepCopy)
		get(t, two, out)
		check(t, out)
	})
	t.Run("of the cache", func(t *testing.T) {
		get(t, two, two)
		check(t, two)
	})
}

func TestListsOfUnusualTypes(t *testing.T) {
	meta := metav1.ObjectMeta{Namespace: "a", Name: "one", Labels: map[string]string{"k": "v"}}
	held := &byHand{ObjectMeta: meta, Notes: []string{"n"}}
	r := newTestReader(&byHand{}, nil)
	put(r, held)
	for _, tt := range []struct {
		name string
		list client.ObjectList
		item func(client.ObjectList) any
	}{
		{"pointers", &byHandList{}, func(l client.ObjectList) any { return l.(*byHandList).Items[0] }},
		{"any object", &objectList{}, func(l client.ObjectList) any { return l.(*objectList).Items[0] }},
		{"raw extensions", &metav1.List{}, func(l client.ObjectList) any { return l.(*metav1.List).Items[0].Object }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			must(t, r.List(t.Context(), tt.list))
			got := tt.item(tt.list).(*byHand)
			if got == held || got.Notes[0] != "n" || &got.Notes[0] == &held.Notes[0] || got.Kind != "Pod" {
				t.Errorf("got %+v, which is not a private copy with its kind set", got)
			}
			must(t, r.List(t.Context(), tt.list, client.UnsafeDisableDeepCopy))
			if got := tt.item(tt.list).(*byHand); got != held {
				t.Errorf("got %p, want the shared %p", got, held)
			}
			must(t, r.List(t.Context(), tt.list, client.InNamespace("none")))
			if items := reflect.ValueOf(tt.list).Elem().FieldByName("Items"); items.IsNil() || items.Len() > 0 {
				t.Errorf("no match gives %v, want items that are empty and not nil", items)
			}
		})
	}
	if err := r.List(t.Context(), &noList{}); err == nil || !strings.Contains(err.Error(), "no Items field") {
		t.Errorf("a list without items: %v", err)
	}
}
