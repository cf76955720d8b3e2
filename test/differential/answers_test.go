package differential

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// answer has everything that a caller can see of an answer. Fields that do not apply are
// empty.
type answer struct {
	err    error
	object client.Object     // the object given to Get, after the call
	list   client.ObjectList // the list given to List, after the call
	shared bool              // with the cache: a second call returns the same memory
	fact   string            // other facts to compare
	wrong  string            // a fault of the answer, without a comparison
}

// String is the text for messages about answers that differ.
func (a answer) String() string {
	var parts []string
	if a.err != nil {
		parts = append(parts, fmt.Sprintf("error %q (%s)", a.err, class(a.err)))
	}
	if a.object != nil {
		parts = append(parts, describe(a.object))
	}
	if a.list != nil {
		_, items, err := itemsOf(a.list)
		if err != nil {
			parts = append(parts, err.Error())
		}
		for _, at := range sortedKeys(items) {
			parts = append(parts, describe(items[at]))
		}
		parts = append(parts, fmt.Sprintf("%d items, %+v", len(items), listMeta(a.list)))
	}
	if a.shared {
		parts = append(parts, "shared with the cache")
	}
	return strings.Join(slices.DeleteFunc(append(parts, a.fact, a.wrong), func(s string) bool { return s == "" }), "; ")
}

func describe(o client.Object) string {
	text := client.ObjectKeyFromObject(o).String() + "@" + o.GetResourceVersion()
	if gvk := o.GetObjectKind().GroupVersionKind(); gvk != (schema.GroupVersionKind{}) {
		text += "[" + gvk.Kind + "]"
	}
	return text
}

// compareAnswers returns how the answers differ, or nothing.
func compareAnswers(theirs, ours answer) string {
	if readsUnread(theirs, ours) {
		return ""
	}
	if why := compareErrors(theirs.err, ours.err); why != "" {
		return why
	}
	switch {
	case theirs.wrong != "" || ours.wrong != "":
		return "an answer contradicts itself"
	case theirs.shared != ours.shared:
		return "one shares memory with the cache"
	case theirs.fact != ours.fact:
		return "the facts differ"
	case !reflect.DeepEqual(theirs.object, ours.object):
		return "the objects differ: " + difference(theirs.object, ours.object)
	}
	return compareLists(theirs.list, ours.list)
}

func compareLists(theirs, ours client.ObjectList) string {
	if theirs == nil || ours == nil {
		return ""
	}
	if a, b := theirs.GetObjectKind().GroupVersionKind(), ours.GetObjectKind().GroupVersionKind(); a != b {
		return fmt.Sprintf("the lists are of different kinds: %v and %v", a, b)
	}
	a, b := listMeta(theirs), listMeta(ours)
	if !reflect.DeepEqual(a, b) {
		return "the lists' metadata differ: " + difference(a, b)
	}
	theirNil, theirItems, err := itemsOf(theirs)
	if err != nil {
		return err.Error()
	}
	ourNil, ourItems, err := itemsOf(ours)
	if err != nil {
		return err.Error()
	}
	if theirNil != ourNil {
		return fmt.Sprintf("the items are nil: %v and %v", theirNil, ourNil)
	}
	return compareItems(theirItems, ourItems)
}

func compareItems(theirs, ours map[key]client.Object) string {
	for _, at := range sortedKeys(theirs) {
		if _, ok := ours[at]; !ok {
			return fmt.Sprintf("only theirs has %s", at)
		}
	}
	for _, at := range sortedKeys(ours) {
		if _, ok := theirs[at]; !ok {
			return fmt.Sprintf("only ours has %s", at)
		}
		if !reflect.DeepEqual(theirs[at], ours[at]) {
			return fmt.Sprintf("%s differs: %s", at, difference(theirs[at], ours[at]))
		}
	}
	return ""
}

// itemsOf returns a list's items by their keys, and whether the slice is nil.
func itemsOf(list client.ObjectList) (isNil bool, items map[key]client.Object, err error) {
	slice, err := meta.GetItemsPtr(list)
	if err != nil {
		return false, nil, fmt.Errorf("find the items of %T: %w", list, err)
	}
	all, err := meta.ExtractList(list)
	if err != nil {
		return false, nil, fmt.Errorf("read the items of %T: %w", list, err)
	}
	items = map[key]client.Object{}
	for _, item := range all {
		object, ok := item.(client.Object)
		if !ok {
			return false, nil, fmt.Errorf("%T has an item that is a %T", list, item)
		}
		at := client.ObjectKeyFromObject(object)
		if _, twice := items[at]; twice {
			return false, nil, fmt.Errorf("%T has %s twice", list, at)
		}
		items[at] = object
	}
	return reflect.ValueOf(slice).Elem().IsNil(), items, nil
}

func listMeta(list client.ObjectList) metav1.ListMeta {
	return metav1.ListMeta{
		ResourceVersion: list.GetResourceVersion(), Continue: list.GetContinue(),
		RemainingItemCount: list.GetRemainingItemCount(),
	}
}

// difference says where two values differ. Values may look alike and still differ, such as
// nil and empty.
func difference(a, b any) string {
	if text := cmp.Diff(a, b); text != "" {
		return "(- theirs, + ours)\n" + text
	}
	return fmt.Sprintf("%#v and %#v", a, b)
}

// memory returns the address of a part of an object. Two objects with the same address share
// memory, and are not copies. It is zero if the object has no such part.
func memory(obj runtime.Object) uintptr {
	if u, ok := obj.(interface{ UnstructuredContent() map[string]any }); ok {
		return reflect.ValueOf(u.UnstructuredContent()).Pointer()
	}
	about, err := meta.Accessor(obj)
	if err != nil {
		return 0
	}
	for _, held := range []any{about.GetLabels(), about.GetAnnotations(), about.GetManagedFields()} {
		if at := reflect.ValueOf(held); at.Len() > 0 {
			return at.Pointer()
		}
	}
	return 0
}

func sortedKeys[T any](of map[key]T) []key {
	all := make([]key, 0, len(of))
	for at := range of {
		all = append(all, at)
	}
	slices.SortFunc(all, byKey)
	return all
}
