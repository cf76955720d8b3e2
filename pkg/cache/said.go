package cache

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	toolscache "k8s.io/client-go/tools/cache"
)

// String is what is set, as it is called in the options.
func (k kindSettings) String() string {
	if k.namespaces == nil {
		return k.settings.String()
	}
	all := make([]string, 0, len(k.namespaces))
	for _, namespace := range slices.Sorted(maps.Keys(k.namespaces)) {
		all = append(all, fmt.Sprintf("%q: {%s}", namespace, k.namespaces[namespace]))
	}
	return strings.TrimSuffix("Namespaces: {"+strings.Join(all, ", ")+"}, "+k.settings.String(), ", ")
}

// String is what is set, as it is called in the options. Transforms that are written at the same place look the same.
func (s settings) String() string {
	var said []string
	for _, options := range []any{s.Config, s.KindOptions} {
		for option, value := range reflect.ValueOf(options).Fields() {
			if !value.IsZero() {
				said = append(said, strings.TrimSuffix(option.Name, "Selector")+": "+spoken(value.Interface()))
			}
		}
	}
	return strings.Join(said, ", ")
}

// spoken is the value of an option.
func spoken(value any) string {
	switch v := value.(type) {
	case labels.Selector:
		if _, selectable := v.Requirements(); !selectable { // the selector of nothing has no text of its own
			return "nothing"
		}
		return strconv.Quote(v.String())
	case fields.Selector:
		return strconv.Quote(v.String())
	case toolscache.TransformFunc:
		return writtenAt(v).String()
	default:
		return fmt.Sprintf("%+v", reflect.Indirect(reflect.ValueOf(v)))
	}
}
