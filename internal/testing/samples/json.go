package samples

import (
	"encoding/json"
	"fmt"
)

// JSON is a value as JSON. It panics if the value can't be JSON, which only a mistake in a
// test can cause.
func JSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("BUG: %v is not JSON: %v", v, err))
	}
	return string(text)
}

// Tree is the JSON of an object, decoded.
func Tree(v any) map[string]any {
	var m map[string]any
	if err := json.Unmarshal([]byte(JSON(v)), &m); err != nil {
		panic(fmt.Sprintf("BUG: an object is not a JSON object: %v", err))
	}
	return m
}
