package diff

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	unstructuredv1 "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
)

// compare finds the edits.
func (d *Diff) compare() findings {
	if d.identical() {
		return findings{}
	}
	secret := d.secret()
	var why []error
	for _, convert := range d.ways() {
		var f findings
		err := path.Guard(func() (err error) {
			f, err = d.compareAs(convert, &walker{hide: seal(secret)})
			return err
		})
		if err == nil {
			return f
		}
		why = append(why, err)
	}
	if secret { // these errors may quote its values
		return findings{err: fmt.Errorf("compare two states of %s: they can't be read; the reasons are hidden", d.name())}
	}
	return findings{err: fmt.Errorf("compare two states of %s: %w", d.name(), errors.Join(why...))}
}

// name says which object this is about, without a word of what is in it.
func (d *Diff) name() string {
	obj := d.after
	if obj == nil {
		obj = d.before
	}
	kind := obj.GetObjectKind().GroupVersionKind().Kind
	if kind == "" {
		kind = fmt.Sprintf("%T", obj)
	}
	name := obj.GetName()
	if namespace := obj.GetNamespace(); namespace != "" {
		name = namespace + "/" + name
	}
	return strings.TrimSpace(kind + " " + name)
}

// converter gives an object a type.
type converter func(Object) (*typed.TypedValue, error)

// ways are the ways to read objects, the best one first.
func (d *Diff) ways() []converter {
	ways := []converter{deduceFromContent}
	if !plain(d.before) || !plain(d.after) {
		return ways
	}
	ways = append([]converter{deduce}, ways...)
	if d.schemas == nil {
		return ways
	}
	bySchema := func(obj Object) (*typed.TypedValue, error) {
		return d.schemas.ObjectToTyped(obj, typed.AllowDuplicates)
	}
	return append([]converter{bySchema}, ways...)
}

// deduce reads the object as it is, by reflection.
func deduce(obj Object) (*typed.TypedValue, error) {
	if u, ok := obj.(runtime.Unstructured); ok {
		return typed.DeducedParseableType.FromUnstructured(u.UnstructuredContent(), typed.AllowDuplicates)
	}
	return typed.DeducedParseableType.FromStructured(obj, typed.AllowDuplicates)
}

// deduceFromContent is for fields of types that structured-merge-diff does not know,
// such as uint64. It converts the whole object, so it comes last.
func deduceFromContent(obj Object) (*typed.TypedValue, error) {
	content, err := contentOf(obj)
	if err != nil {
		return nil, err
	}
	return typed.DeducedParseableType.FromUnstructured(content, typed.AllowDuplicates)
}

func (d *Diff) compareAs(convert converter, w *walker) (findings, error) {
	before, after, err := d.convert(convert)
	if err != nil {
		return findings{}, err
	}
	comparison, err := before.Compare(after)
	if err != nil {
		return findings{}, fmt.Errorf("compare: %w", err)
	}
	w.schema = after.Schema()
	w.visit(&position{
		before: before.AsValue(), after: after.AsValue(), typ: after.TypeRef(),
		changed: comparison.Removed.Union(comparison.Modified).Union(comparison.Added),
	})
	return findings{edits: w.edits, truncated: w.truncated}, nil
}

// convert gives both objects a type. One that is not there is an empty one of the
// other's type.
func (d *Diff) convert(convert converter) (before, after *typed.TypedValue, err error) {
	if d.before != nil {
		if before, err = convert(d.light(d.before)); err != nil {
			return nil, nil, fmt.Errorf("read the old state: %w", err)
		}
	}
	if d.after != nil {
		if after, err = convert(d.light(d.after)); err != nil {
			return nil, nil, fmt.Errorf("read the new state: %w", err)
		}
	}
	if before == nil {
		before = after.Empty()
	}
	if after == nil {
		after = before.Empty()
	}
	return before, after, nil
}

// light returns an object that has no managed fields, if they are left out anyway: to
// read them costs more than all the rest. It shares everything else with obj.
func (d *Diff) light(obj Object) Object {
	if u, ok := obj.(*unstructuredv1.Unstructured); ok {
		return lightContent(u)
	}
	v := reflect.ValueOf(obj)
	original, ok := obj.(metav1.ObjectMetaAccessor)
	if !ok || v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return obj
	}
	light := path.Shallow(obj)
	// A type that only points to its metadata has the copy write to the original.
	if light.(metav1.ObjectMetaAccessor).GetObjectMeta() == original.GetObjectMeta() {
		return obj
	}
	light.SetManagedFields(nil)
	return light
}

func lightContent(u *unstructuredv1.Unstructured) Object {
	metadata, ok := u.Object["metadata"].(map[string]any)
	if !ok {
		return u
	}
	content, fewer := maps.Clone(u.Object), maps.Clone(metadata)
	delete(fewer, "managedFields")
	content["metadata"] = fewer
	return &unstructuredv1.Unstructured{Object: content}
}
