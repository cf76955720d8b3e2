package decode_test

import (
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
)

// readSizes decodes an object with a quantity behind a pointer.
func readSizes(t *testing.T, s *subject, text string, like any) *known {
	t.Helper()
	obj, _, ok := s.decoder.JSON([]byte(`{"sizes":["`+text+`"]}`), like)
	if !ok {
		t.Fatalf("%s is refused", text)
	}
	return obj.(*known)
}

// TestQuantitiesThatAreAsked asks a published quantity for its text, which it notes in itself if it has none, while another
// one is decoded against it and asked in its turn. The race detector judges. Those that came with their texts are shared.
func TestQuantitiesThatAreAsked(t *testing.T) {
	s := newSubject(t, &known{})
	for text, shared := range map[string]bool{"1Gi": true, "100m": true, "0": true, "512Mi": false, "1000m": false, "2000": false, "0.5": false} {
		published := readSizes(t, s, text, nil)
		var handlers sync.WaitGroup
		handlers.Go(func() { _ = published.Sizes[0].String() })
		next := readSizes(t, s, text, published)
		handlers.Go(func() { _ = next.Sizes[0].String() })
		handlers.Wait()
		if got := next.Sizes[0] == published.Sizes[0]; got != shared {
			t.Errorf("%s is shared: %t", text, got)
		}
	}
}

// TestQuantitiesKeepTheirTexts decodes quantities that are as large as each other, and were written in two ways.
func TestQuantitiesKeepTheirTexts(t *testing.T) {
	s := newSubject(t, &known{})
	ways := []string{"1", "+1", "01", "1500m", "1.500", "01.500", "500m", "0.500", "1e3", "1E3", "1k", "8Gi", "8192Mi"}
	for _, one := range ways {
		for _, other := range ways {
			want := resource.MustParse(other)
			published := readSizes(t, s, one, nil)
			if got := readSizes(t, s, other, published).Sizes[0]; got.String() != want.String() {
				t.Errorf("%s like %s is written %s, want %s", other, one, got, &want)
			}
		}
	}
}
