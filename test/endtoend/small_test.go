package endtoend

import (
	"encoding/json"
	"testing"
)

// TestSmallObjectsAreOfTwoKilobytes looks at what they are called.
func TestSmallObjectsAreOfTwoKilobytes(t *testing.T) {
	for _, form := range []string{typedJSON, untyped} {
		objects, size := scenario{Form: form, Objects: 500, Small: true}.collection().Objects, 0
		for _, obj := range objects {
			text, err := json.Marshal(obj)
			must(t, err)
			size += len(text)
		}
		if each := size / len(objects); each < 1900 || each > 2200 {
			t.Errorf("%s: an object has %d bytes", form, each)
		}
	}
}
