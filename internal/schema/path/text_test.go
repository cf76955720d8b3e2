package path

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

func TestALongTextIsCut(t *testing.T) {
	seeds.Run(t, 500, func(t *testing.T, rng *rand.Rand) {
		var b strings.Builder
		for range rng.IntN(100) {
			b.WriteString([]string{"a", "é", "…", "😀"}[rng.IntN(4)])
		}
		text, limit := b.String(), 16+rng.IntN(100)
		cut, ends := Cut(text, limit), Ends(text, limit)
		if len(text) <= limit && (cut != text || ends != text) {
			t.Errorf("%q of at most %d bytes became %q and %q", text, limit, cut, ends)
		}
		for _, got := range []string{cut, ends} {
			if before, after, _ := strings.Cut(got, "…"); len(got) > limit || !utf8.ValidString(got) || len(text) > limit && (len(got) < limit-8 || !strings.HasPrefix(text, before)) {
				t.Errorf("of %q are left %q, and %q", text, got, after)
			}
		}
		if len(text) > limit && !strings.HasSuffix(text, ends[len(ends)-limit/2:]) {
			t.Errorf("%q does not end with %q", text, ends[len(ends)-limit/2:])
		}
	})
}
