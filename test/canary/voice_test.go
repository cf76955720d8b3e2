package canary

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"regexp"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/yaml"
)

// voice prints what the product returns, in every way that there is.
type voice struct {
	hunt *hunt
	said *repeats
}

// repeats counts what was said.
type repeats struct {
	mu  sync.Mutex // guards all
	all map[string]int
}

// often is how many times it prints values of one type that look the same.
const often = 4

// enough counts a value, and reports whether it was printed often.
func (r *repeats) enough(value any) bool {
	name := fmt.Sprintf("%T %+v", value, value)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all[name]++
	return r.all[name] > often
}

// deepest is how far it follows what methods return.
const deepest = 4

// say prints a value, and what its methods return that take no arguments.
func (v voice) say(ctx context.Context, values ...any) {
	for _, value := range values {
		v.walk(ctx, reflect.ValueOf(value), 0)
	}
}

func (v voice) walk(ctx context.Context, value reflect.Value, depth int) {
	if !value.IsValid() || depth > deepest || value.Kind() == reflect.Pointer && value.IsNil() {
		return
	}
	if v.said.enough(value.Interface()) {
		return
	}
	v.print(ctx, value.Interface())
	if value.Kind() != reflect.Pointer { // whose methods are all those of the value, and more
		pointer := reflect.New(value.Type())
		pointer.Elem().Set(value)
		value = pointer
	}
	for i := range value.NumMethod() {
		method := value.Type().Method(i)
		if method.Type.NumIn() != 1 { // the receiver
			continue
		}
		for _, result := range value.Method(i).Call(nil) {
			v.result(ctx, result, depth+1)
		}
	}
}

// result prints what a method has returned: a text, bytes, an error, something that can print itself,
// or something of ours. It leaves out whole objects, which are what they are.
func (v voice) result(ctx context.Context, result reflect.Value, depth int) {
	switch t := result.Type(); {
	case t.Implements(reflect.TypeFor[metav1.Object]()):
	case t.CanSeq() && t.Kind() == reflect.Func:
		for element := range result.Seq() {
			v.result(ctx, element, depth)
		}
	case t.Kind() == reflect.Interface:
		if !result.IsNil() && (t.Implements(reflect.TypeFor[error]()) || t.Implements(reflect.TypeFor[fmt.Stringer]())) {
			v.print(ctx, result.Interface())
		}
	case t.Kind() == reflect.String, t == reflect.TypeFor[[]byte](), t.Implements(reflect.TypeFor[fmt.Stringer]()):
		v.print(ctx, result.Interface())
		fallthrough
	default:
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if strings.HasPrefix(t.PkgPath(), module) {
			v.walk(ctx, result, depth)
		}
	}
}

// module is where our types are.
const module = "github.com/delta-runtime/delta-runtime/"

// arguments are those of a type.
var arguments = regexp.MustCompile(`\[[^\]].*`)

// print prints a value with each verb and encoder, and has the loggers log it.
func (v voice) print(ctx context.Context, value any) {
	if v.said.enough(value) {
		return
	}
	var text bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%+q", "%t"} {
		fmt.Fprintf(&text, verb+"\n", value)
		fmt.Fprintf(&text, verb+"\n", []any{value})
		fmt.Fprintf(&text, verb+"\n", struct{ Inner any }{value})
	}
	for _, verb := range []string{"%v", "%+v", "%#v"} { // of a hidden field Go prints the memory with any other
		fmt.Fprintf(&text, verb+"\n", struct{ inner any }{value})
	}
	asJSON, err := json.MarshalIndent(map[string]any{"value": value}, "", " ")
	fmt.Fprintln(&text, string(asJSON), err)
	asYAML, err := yaml.Marshal(value)
	fmt.Fprintln(&text, string(asYAML), err)
	slog.New(slog.NewTextHandler(&text, nil)).Info("a value", "value", value)
	slog.New(slog.NewJSONHandler(&text, nil)).Info("a value", "value", value)
	fmt.Fprintln(&text, fmt.Errorf("wrapped: %w", errors.Join(fmt.Errorf("%v", value))))
	v.hunt.collect("what is printed of a "+arguments.ReplaceAllString(fmt.Sprintf("%T", value), ""), text.Bytes())
	log.FromContext(ctx).V(7).Info("a value", "value", value, "values", []any{value}, "map", map[string]any{"value": value})
	log.FromContext(ctx).Error(fmt.Errorf("about %v", value), "a value", "value", &value)
}
