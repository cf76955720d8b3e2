package decode_test

import (
	"sync"
	"testing"
)

// TestQuantitiesThatAreAsked asks a published quantity while another one is decoded against it, and asked in its turn. An
// answer may write into the quantity: its text, or another form of its number. So no two objects have one quantity. The race
// detector judges the rest.
func TestQuantitiesThatAreAsked(t *testing.T) {
	s := newSubject(t, &known{})
	for _, text := range []string{"1Gi", "100m", "0", "512Mi", "1000m", "2000", "0.5"} {
		read := func(like any) *known {
			obj, _, ok := s.decoder.JSON([]byte(`{"sizes":["`+text+`"]}`), like)
			if !ok {
				t.Fatalf("%s is refused", text)
			}
			return obj.(*known)
		}
		var handlers sync.WaitGroup
		ask := func(of *known) {
			handlers.Go(func() { _, _ = of.Sizes[0].String(), of.Sizes[0].AsFloat64Slow() })
		}
		published := read(nil)
		ask(published)
		next := read(published)
		ask(next)
		handlers.Wait()
		if next.Sizes[0] == published.Sizes[0] {
			t.Errorf("%s is shared", text)
		}
	}
}
