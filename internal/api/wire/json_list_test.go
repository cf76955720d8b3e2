package wire

import (
	"errors"
	"strings"
	"testing"
)

// TestItemsHoweverTheyAreWritten lists an object. A list that seems to have none would delete all that are known.
func TestItemsHoweverTheyAreWritten(t *testing.T) {
	const item = `[{"metadata":{"name":"a"}}]`
	for text, want := range map[string]int{
		`{"items":` + item + `}`:                               1,
		`{"\u0069tems":` + item + `}`:                          1,
		`{"\u0069\u0074ems" : ` + item + `}`:                   1,
		`{"item\u0073":` + item + `,"it\"ems":[1]}`:            1,
		`{"items":null}`:                                       0,
		`{"Items":[1],"items":` + item + `}`:                   1,
		`{"metadata":{"items":[]},"items":` + item + `}`:       1,
		`{"items":` + item + `,"items":[]}`:                    -1,
		`{"items":[],"\u0069tems":` + item + `}`:               -1,
		`{"items":null,"metadata":{},"items":` + item + `}`:    -1,
		`{"items":` + item + `,"metadata":{},"ite\u006ds":{}}`: -1,
	} {
		n := 0
		l := jsonList{in: newWindow(strings.NewReader(text), 8), objects: configMaps().objects(), each: func(arrival) { n++ }}
		_, err := l.read()
		switch {
		case want < 0 && !errors.Is(err, errNoList):
			t.Errorf("%s is read, with %d items and the error %v", text, n, err)
		case want >= 0 && (err != nil || n != want):
			t.Errorf("%s has %d items, want %d: %v", text, n, want, err)
		}
	}
}
