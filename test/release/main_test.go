package release

import (
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/realtime"
)

func TestMain(m *testing.M) { realtime.Main(m) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
