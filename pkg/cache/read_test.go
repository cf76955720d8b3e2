package cache

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
)

// podOf returns the i-th benchmark Pod in a namespace and with a name of its own.
func podOf(i int, namespace, name string) *corev1.Pod {
	pod := benchkit.Pods(i + 1)[i].DeepCopy()
	pod.Namespace, pod.Name = namespace, name
	return pod
}

func TestGetFillsAPrivateCopy(t *testing.T) {
	for _, rep := range representations {
		t.Run(rep.name, func(t *testing.T) {
			held := rep.of(podOf(0, "a", "one"))
			before := held.DeepCopyObject().(client.Object)
			r := newTestReader(rep.empty(), nil)
			put(r, held)

			out := rep.empty()
			out.SetLabels(map[string]string{"left": "over"})
			must(t, r.Get(t.Context(), client.ObjectKeyFromObject(held), out))
			before.GetObjectKind().SetGroupVersionKind(podKind)
			if !equality.Semantic.DeepEqual(before, out) {
				t.Error("what was read is not what is in the store, with its kind set")
			}
			spoil(t, out)
			list := rep.newList()
			must(t, r.List(t.Context(), list))
			for _, item := range extract(t, list) {
				spoil(t, item)
			}
			held.GetObjectKind().SetGroupVersionKind(podKind) // which is not set in a typed object
			if !equality.Semantic.DeepEqual(before, held) {
				t.Error("writing to what was read has changed the store")
			}
		})
	}
}

// spoil writes to everything that an object points to.
func spoil(t *testing.T, obj runtime.Object) {
	t.Helper()
	if spoilValue(reflect.ValueOf(obj)) == 0 {
		t.Fatal("found nothing to write to")
	}
}

func spoilValue(v reflect.Value) (written int) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return spoilValue(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			written += spoilValue(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			written += spoilValue(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			written += spoilValue(v.MapIndex(key))
			if e := v.Type().Elem(); e.Kind() == reflect.String || e.Kind() == reflect.Interface {
				v.SetMapIndex(key, reflect.ValueOf("spoilt").Convert(reflect.TypeFor[string]()))
				written++
			}
		}
	case reflect.String:
		if v.CanSet() {
			v.SetString("spoilt")
			return 1
		}
	}
	return written
}

func extract(t *testing.T, list client.ObjectList) []runtime.Object {
	t.Helper()
	items, err := meta.ExtractList(list)
	must(t, err)
	return items
}

func TestSharedReadsShare(t *testing.T) {
	held, other := podOf(0, "a", "one"), podOf(1, "b", "two")
	for _, tt := range []struct {
		name   string
		copies func(namespace string) bool
		get    []client.GetOption
		list   []client.ListOption
	}{
		{name: "as the call asks for", get: []client.GetOption{client.UnsafeDisableDeepCopy}, list: []client.ListOption{client.UnsafeDisableDeepCopy}},
		{name: "as the namespace is set", copies: func(namespace string) bool { return namespace != "a" }},
		{
			name: "as the namespace is set, whatever the call asks for", copies: func(namespace string) bool { return namespace != "a" },
			get: []client.GetOption{client.UnsafeDisableDeepCopyOption(false)}, list: []client.ListOption{client.UnsafeDisableDeepCopyOption(false)},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newTestReader(&corev1.Pod{}, nil)
			if tt.copies != nil {
				r.copies = tt.copies
			}
			put(r, held, other)
			var out corev1.Pod
			must(t, r.Get(t.Context(), client.ObjectKeyFromObject(held), &out, tt.get...))
			if &out.Spec.Containers[0] != &held.Spec.Containers[0] {
				t.Error("Get made a copy")
			}
			if out.Kind != "" {
				t.Errorf("Get set the kind %s of a shared object", out.Kind)
			}
			var list corev1.PodList
			must(t, r.List(t.Context(), &list, tt.list...))
			for i := range list.Items {
				if item := &list.Items[i]; item.Namespace == "a" && (&item.Spec.Containers[0] != &held.Spec.Containers[0] || item.Kind != "") {
					t.Error("List made a copy, or set the kind of a shared object")
				} else if item.Namespace == "b" && tt.copies != nil && (&item.Spec.Containers[0] == &other.Spec.Containers[0] || item.Kind != "Pod") {
					t.Error("the Pod of the namespace with copies was shared, or has no kind")
				}
			}
		})
	}
}

func TestReadErrors(t *testing.T) {
	refused := errors.New("not covered")
	r := newTestReader(&corev1.Pod{}, nil)
	r.syncedIn = func(namespace string) error {
		if namespace == "elsewhere" || namespace == "" {
			return refused
		}
		return nil
	}
	put(r, podOf(0, "a", "one"))
	get := func(namespace, name string, out client.Object) error {
		return r.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, out)
	}
	list := func(opts ...client.ListOption) error { return r.List(t.Context(), &corev1.PodList{}, opts...) }
	for _, tt := range []struct {
		name string
		err  error
		is   func(error) bool
		says string
	}{
		{"not found", get("a", "two", &corev1.Pod{}), apierrors.IsNotFound, `Pod "two" not found`},
		{"not found in this namespace", get("b", "one", &corev1.Pod{}), apierrors.IsNotFound, `Pod "one" not found`},
		{"get where it is not covered", get("elsewhere", "one", &corev1.Pod{}), causedBy(refused), "get Pod elsewhere/one: not covered"},
		{"get without a namespace where some are covered", get("", "one", &corev1.Pod{}), causedBy(refused), "get Pod one: not covered"},
		{"list where it is not covered", list(client.InNamespace("elsewhere")), causedBy(refused), "list Pod: not covered"},
		{"another type", get("a", "one", &corev1.Node{}), nil, "cache had type *v1.Pod, but *v1.Node was asked for"},
		{"another representation", get("a", "one", &unstructured.Unstructured{}), nil, "cache had type *v1.Pod, but *unstructured.Unstructured was asked for"},
		{"another type, shared", r.Get(t.Context(), client.ObjectKey{Namespace: "a", Name: "one"}, &corev1.Node{}, client.UnsafeDisableDeepCopy), nil, "cache had type *v1.Pod, but *v1.Node was asked for"},
		{"list of another type", r.List(t.Context(), &corev1.NodeList{}), nil, "can't assign or convert v1.Pod into v1.Node"},
		{"inexact field", list(client.MatchingFieldsSelector{Selector: fields.ParseSelectorOrDie("spec.nodeName!=x")}), causedBy(errInexact), "non-exact field matches are not supported by the cache"},
		{"no field", list(client.MatchingFields{}), causedBy(errInexact), ""},
		{"no index", list(client.MatchingFields{"spec.nodeName": "x"}), causedBy(store.ErrNoIndex), "Index with name field:spec.nodeName does not exist"},
		{"a continue token", list(client.Continue(noPages)), nil, "continue list option is not supported by the cache"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.err == nil {
				t.Fatal("no error")
			}
			if tt.is != nil && !tt.is(tt.err) {
				t.Errorf("%v is of the wrong kind", tt.err)
			}
			if !strings.Contains(tt.err.Error(), tt.says) {
				t.Errorf("got %q, which should say %q", tt.err, tt.says)
			}
		})
	}
}

func causedBy(cause error) func(error) bool {
	return func(err error) bool { return errors.Is(err, cause) }
}

// TestANamespaceThatGoesMeanwhileIsNoAnswer takes a namespace away while it is being
// read, and sees nobody told that its objects do not exist.
func TestANamespaceThatGoesMeanwhileIsNoAnswer(t *testing.T) {
	gone := errors.New("not covered")
	for name, read := range map[string]func(*reader) error{
		"get": func(r *reader) error {
			return r.Get(t.Context(), client.ObjectKey{Namespace: "red", Name: "a"}, &corev1.Pod{})
		},
		"list": func(r *reader) error { return r.List(t.Context(), &corev1.PodList{}, client.InNamespace("red")) },
	} {
		r := newTestReader(&corev1.Pod{}, nil)
		asked := 0
		r.syncedIn = func(string) error {
			if asked++; asked > 1 {
				return gone
			}
			return nil
		}
		if err := read(r); !errors.Is(err, gone) || apierrors.IsNotFound(err) {
			t.Errorf("%s returns %v", name, err)
		}
	}
}
