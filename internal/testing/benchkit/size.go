package benchkit

import (
	"cmp"
	"os"
	"strconv"
	"testing"
)

// Size is how many objects a benchmark works on: a hundred thousand, which the quoted
// results are for, unless the environment says otherwise. The same rows at 1k, 10k, 100k
// and 1M objects show how a cost grows.
func Size(tb testing.TB) int {
	tb.Helper()
	const variable = "BENCH_SIZE"
	n, err := strconv.Atoi(cmp.Or(os.Getenv(variable), "100000"))
	if err != nil || n < 1 {
		tb.Fatalf("%s=%q is not a number of objects", variable, os.Getenv(variable))
	}
	return n
}
