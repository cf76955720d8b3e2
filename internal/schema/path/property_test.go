package path_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	unstructuredv1 "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/internal/testing/samples"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

// builtinKinds are all kinds of objects that client-go knows.
func builtinKinds() []schema.GroupVersionKind {
	var all []schema.GroupVersionKind
	for kind := range scheme.Scheme.AllKnownTypes() {
		if obj, err := scheme.Scheme.New(kind); err == nil && kind.Version != runtime.APIVersionInternal {
			if _, ok := obj.(path.Object); ok {
				all = append(all, kind)
			}
		}
	}
	slices.SortFunc(all, func(a, b schema.GroupVersionKind) int { return strings.Compare(a.String(), b.String()) })
	return all
}

// dice make random objects and paths.
type dice struct{ samples.Dice }

// made makes an object of a kind, with random values in fields of every type.
func (d *dice) made(t *testing.T, kind schema.GroupVersionKind) path.Object {
	t.Helper()
	obj, err := scheme.Scheme.New(kind)
	if err != nil {
		t.Fatal(err)
	}
	d.fill(reflect.ValueOf(obj).Elem(), 0)
	obj.GetObjectKind().SetGroupVersionKind(kind)
	return obj.(path.Object)
}

// fill sets a value and what is below it.
func (d *dice) fill(v reflect.Value, depth int) {
	switch at := v.Addr().Interface().(type) {
	case *metav1.Time:
		*at = metav1.Unix(int64(1+d.IntN(3)), 0)
	case *metav1.MicroTime:
		*at = metav1.NewMicroTime(time.Unix(int64(1+d.IntN(3)), 0))
	case *metav1.Duration:
		at.Duration = time.Duration(1+d.IntN(3)) * time.Second
	case *resource.Quantity:
		*at = resource.MustParse(d.OneOf("1", "500m", "1Gi").(string))
	case *intstr.IntOrString:
		*at = d.OneOf(intstr.FromInt32(3), intstr.FromString("25%")).(intstr.IntOrString)
	case *runtime.RawExtension:
		at.Raw = []byte(d.OneOf(`{"kind":"A","x":{"y":[1]}}`, `{"kind":"A"}`).(string))
	case *metav1.FieldsV1:
		*at = *metav1.NewFieldsV1(d.OneOf(`{"f:a":{}}`, `{"f:a":{"f:b":{}}}`).(string))
	default:
		d.fillByKind(v, depth)
	}
}

func (d *dice) fillByKind(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Pointer:
		if depth < 12 && d.Often() {
			v.Set(reflect.New(v.Type().Elem()))
			d.fill(v.Elem(), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && (depth < 6 || d.Often()) {
				d.fill(v.Field(i), depth+1)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(d.OneOf("a", "bc").(string)))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), d.few(depth), 3))
		for i := range v.Len() {
			d.fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range d.few(depth) {
			key, below := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			key.SetString(d.OneOf("a", "b.c/d", "e f", "0", "x.y").(string))
			d.fill(below, depth+1)
			v.SetMapIndex(key, below)
		}
	case reflect.String:
		v.SetString(d.OneOf("a", "b", "c d", "1", "true", `"`).(string))
	case reflect.Bool:
		v.SetBool(d.Often())
	case reflect.Int32, reflect.Int64, reflect.Int:
		v.SetInt(int64(d.IntN(3)))
	case reflect.Float64:
		v.SetFloat(float64(d.IntN(3)) / 2)
	case reflect.Interface:
	default:
		panic(fmt.Sprintf("BUG: no value for a %s", v.Type()))
	}
}

// few is how many elements to make. Deep in an object it is zero.
func (d *dice) few(depth int) int {
	if depth > 9 {
		return 0
	}
	return d.IntN(3)
}

// unstructuredOf returns the object in unstructured form.
func unstructuredOf(t *testing.T, obj path.Object) path.Object {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		t.Fatal(err)
	}
	return &unstructuredv1.Unstructured{Object: content}
}

// shares is the number of parts of the kinds. Each seed plays one part, because all of them
// take seconds.
const shares = 20

func share[K any](kinds []K, seed uint64) (part []K) {
	for i := int(seed % shares); i < len(kinds); i += shares { //nolint:gosec // less than shares
		part = append(part, kinds[i])
	}
	return part
}

func diceOf(seed uint64) *dice { return &dice{samples.NewDice(seed)} }

// TestWhatADiffPrintsCanExist compares random objects of every kind. It checks each path of
// their differences against the Go type and against the schema.
func TestWhatADiffPrintsCanExist(t *testing.T) {
	kinds, checked := builtinKinds(), 0
	seeds.Each(t, shares, func(t *testing.T, seed uint64) {
		random := diceOf(seed)
		for _, kind := range share(kinds, seed) {
			before, after := random.made(t, kind), random.made(t, kind)
			if random.Seldom() {
				before = nil
			}
			for _, d := range []*diff.Diff{diff.New(before, after, samples.Builtin), diff.New(before, after, nil), diff.New(before, unstructuredOf(t, after), samples.Builtin)} {
				if d.Err() != nil {
					t.Fatal(d.Err())
				}
				for text := range d.Paths() {
					checked++
					mustBeLegal(t, after, text)
				}
			}
		}
	})
	if count := seeds.Count(t, shares); count >= shares && checked < 50*len(kinds) {
		t.Errorf("%d paths of %d kinds: they are too much alike", checked, len(kinds))
	}
}

// anyOf is an unstructured object of a kind.
func anyOf(kind schema.GroupVersionKind) path.Object {
	u := &unstructuredv1.Unstructured{}
	u.SetGroupVersionKind(kind)
	return u
}

func mustBeLegal(t *testing.T, obj path.Object, text string) {
	t.Helper()
	if err := path.Check(obj, nil, text); err != nil {
		t.Errorf("by type: %v", err)
	}
	if err := path.Check(anyOf(obj.GetObjectKind().GroupVersionKind()), samples.Builtin, text); err != nil {
		t.Errorf("by schema: %v", err)
	}
}

// walkJSON yields the paths of everything in a JSON tree. It draws one of the possible
// spellings for each step.
func (d *dice) walkJSON(at path.Path, v any, yield func(path.Path)) {
	yield(at)
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			d.walkJSON(at.Below(path.Step{Kind: path.Named, Name: name}), v[name], yield)
		}
	case []any:
		for i, below := range v {
			d.walkJSON(at.Below(d.stepTo(i, below)), below, yield)
		}
	}
}

// stepTo leads to an element of a list, or to several.
func (d *dice) stepTo(i int, v any) path.Step {
	fields, isMap := v.(map[string]any)
	var keys []path.KeyField
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		switch v := fields[name].(type) {
		case string:
			keys = append(keys, path.KeyField{name, strconv.Quote(v)})
		case float64, bool:
			keys = append(keys, path.KeyField{name, samples.JSON(v)})
		}
	}
	switch text, isText := v.(string); {
	case d.Often() && len(keys) > 0:
		d.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		s := path.Step{Kind: path.Element, Keys: keys[:1+d.IntN(len(keys))]}
		s.SortKeys()
		return s
	case d.Often() && isText:
		return path.Step{Kind: path.Member, Name: strconv.Quote(text)}
	case d.Often() && !isMap || d.Seldom():
		return path.Step{Kind: path.Place, Index: i}
	default:
		return path.Step{Kind: path.Every}
	}
}

// TestWhatIsThereCanExist checks the path of everything in random objects.
func TestWhatIsThereCanExist(t *testing.T) {
	kinds := builtinKinds()
	seeds.Each(t, 2*shares, func(t *testing.T, seed uint64) {
		d := diceOf(seed)
		for _, kind := range share(kinds, seed) {
			obj := d.made(t, kind)
			d.walkJSON(path.Path{}, samples.Tree(obj), func(at path.Path) { mustBeLegal(t, obj, at.String()) })
			if t.Failed() {
				t.Fatalf("of %s", samples.JSON(obj))
			}
		}
	})
}

// TestWhatIsMisspeltCanNot changes a letter in the name of a field, where there are fields.
func TestWhatIsMisspeltCanNot(t *testing.T) {
	kinds, tried, guessed := builtinKinds(), 0, 0
	seeds.Each(t, 2*shares, func(t *testing.T, seed uint64) {
		d := diceOf(seed)
		for _, kind := range share(kinds, seed) {
			obj := d.made(t, kind)
			described := path.Check(anyOf(kind), samples.Builtin, "noSuchField") != nil // kinds that are never stored have no schema
			var paths []path.Path
			d.walkJSON(path.Path{}, samples.Tree(obj), func(at path.Path) { paths = append(paths, at) })
			for range 20 {
				right := paths[d.IntN(len(paths))]
				wrong, ok := d.misspelt(obj, right)
				if !ok {
					continue
				}
				tried++
				err, bySchema := path.Check(obj, nil, wrong.String()), path.Check(anyOf(kind), samples.Builtin, wrong.String())
				if err == nil || bySchema == nil && described {
					t.Errorf("%s: %s passes, misspelt from %s (%v, %v)", kind, wrong, right, err, bySchema)
				} else if spelled, _, _ := path.KindOf(obj).Check(right.String(), nil); strings.HasSuffix(err.Error(), "; did you mean "+spelled.String()+"?") {
					guessed++
				}
			}
		}
	})
	if count := seeds.Count(t, 2*shares); count >= 2*shares && (tried < 10*len(kinds) || guessed < tried*9/10) {
		t.Errorf("of %d misspelt paths of %d kinds %d were guessed", tried, len(kinds), guessed)
	}
}

// misspelt changes the name of one field. It is not ok if any name is possible there.
func (d *dice) misspelt(obj path.Object, right path.Path) (wrong path.Path, ok bool) {
	if len(right.Steps) == 0 {
		return right, false
	}
	wrong.Steps = slices.Clone(right.Steps)
	i := d.IntN(len(right.Steps))
	name := right.Steps[i].Name
	named := func(name string) (why string) {
		_, why = path.KindOf(obj).LookUp(path.Path{Steps: right.Steps[:i]}.Below(path.Step{Kind: path.Named, Name: name}), nil)
		return why
	}
	if !strings.HasSuffix(named("noSuchField"), " has no field noSuchField") || len(name) < 3 {
		return right, false
	}
	k := d.IntN(len(name))
	switch d.IntN(4) {
	case 0:
		name = name[:k] + name[k+1:]
	case 1:
		name = name[:k] + "q" + name[k:]
	case 2:
		name = strings.ToUpper(name[:1]) + name[1:]
	default:
		name = name[:k] + "q" + name[k+1:]
	}
	if named(name) == "" {
		return right, false
	}
	wrong.Steps[i].Name = name
	return wrong, true
}
