package diff

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// plain reports whether an unstructured object has nothing in it but what JSON is
// decoded to. Code can put other things there, and to structured-merge-diff all of them
// would be equal.
func plain(obj Object) bool {
	u, ok := obj.(runtime.Unstructured)
	return !ok || plainValue(u.UnstructuredContent())
}

func plainValue(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, below := range v {
			if !plainValue(below) {
				return false
			}
		}
		return true
	case []any:
		for _, below := range v {
			if !plainValue(below) {
				return false
			}
		}
		return true
	case nil, string, bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, float32, float64:
		return true
	default:
		return false
	}
}

// contentOf returns the object in the form that unstructured objects have. Nobody may change it.
func contentOf(obj Object) (map[string]any, error) {
	u, ok := obj.(runtime.Unstructured)
	if ok && plain(obj) {
		return u.UnstructuredContent(), nil
	}
	if !ok {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
		if err != nil {
			return nil, fmt.Errorf("convert %T: %w", obj, err)
		}
		return content, nil
	}
	text, err := json.Marshal(u.UnstructuredContent())
	if err != nil {
		return nil, fmt.Errorf("convert content that is not plain: %w", err)
	}
	var content map[string]any
	if err := utiljson.Unmarshal(text, &content); err != nil {
		return nil, fmt.Errorf("convert content that is not plain: %w", err)
	}
	return content, nil
}
