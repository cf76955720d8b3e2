package path_test

import (
	"fmt"

	"github.com/delta-runtime/delta-runtime/internal/path"
)

func ExampleParse() {
	for _, text := range []string{`.spec.containers[name=app].image`, `metadata.labels.app.kubernetes.io/name`} {
		parsed, err := path.Parse(text)
		fmt.Println(parsed, err)
	}
	// Output:
	// spec.containers[name="app"].image <nil>
	//  parse path "metadata.labels.app.kubernetes.io/name" at byte 30: labels and annotations have nothing below them: write a key that has dots as ["key"]
}
