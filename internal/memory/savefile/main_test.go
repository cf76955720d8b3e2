package savefile

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childVariable); path != "" {
		fmt.Fprintln(os.Stderr, saveUntilKilled(path))
		os.Exit(1)
	}
	if path := os.Getenv(fipsVariable); path != "" {
		sayWhetherItSaves(path)
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
