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

// TestQuantitiesBelongToOneObject calls the methods of a published quantity that write into it, while others are decoded
// against it and asked in their turn. The race detector judges.
func TestQuantitiesBelongToOneObject(t *testing.T) {
	s := newSubject(t, &known{})
	large := resource.MustParse("123456789012345678901234567890") // which makes Cmp write
	for _, text := range []string{"512Mi", "1Gi", "1000m", "100m", "0", "2000", "0.5"} {
		published := readSizes(t, s, text, nil)
		var handlers sync.WaitGroup
		use := func(q *resource.Quantity) {
			handlers.Go(func() {
				_ = q.String()
				q.Cmp(large)
			})
		}
		use(published.Sizes[0])
		next := readSizes(t, s, text, published)
		use(next.Sizes[0])
		handlers.Wait()
		if next.Sizes[0] == published.Sizes[0] {
			t.Errorf("%s is shared", text)
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
