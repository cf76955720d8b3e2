package benchkit

import (
	"os"
	"strconv"
	"testing"
)

// SizeVariable names the environment variable that [Size] reads.
const SizeVariable = "BENCH_SIZE"

// DefaultSize is the number of objects that the quoted results are for.
const DefaultSize = 100_000

// Size is how many objects a benchmark works on: DefaultSize unless the
// environment says otherwise. The same rows at 1k, 10k, 100k and 1M objects show
// how a cost grows.
func Size(tb testing.TB) int {
	tb.Helper()
	text := os.Getenv(SizeVariable)
	if text == "" {
		return DefaultSize
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		tb.Fatalf("%s=%q is not a number of objects", SizeVariable, text)
	}
	return n
}
