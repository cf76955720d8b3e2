//go:build slow

package skip

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

const (
	// minutes is the environment variable that says how long to play worlds on a real server.
	minutes = "SKIP_MINUTES"
	// usually is the time without that variable.
	usually = 20 * time.Second
	// enough is more worlds than any run plays.
	enough = 100_000
)

// TestSkippingIsSafeOnARealServer plays random operators against kube-apiserver and etcd, one
// world after the other until the time is over. Each run begins with the same worlds. Only
// the timing differs.
func TestSkippingIsSafeOnARealServer(t *testing.T) {
	length := usually
	if text := os.Getenv(minutes); text != "" {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatalf("read %s: %v", minutes, err)
		}
		length = time.Duration(n * float64(time.Minute))
	}
	r := newReal(t)
	var all counts
	worlds := 0
	for end, seed := time.Now().Add(length), uint64(0); time.Now().Before(end) && seed < enough; seed++ {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			told := r.play(t, newPlan(seed, notReal))
			all.add(told.counts)
			worlds++
			if told.failed() {
				t.Error(told)
			}
		})
		if seed%10 == 9 && length > usually {
			fmt.Fprintf(os.Stderr, "%d worlds, %v left\n", worlds, time.Until(end).Round(time.Second))
		}
	}
	t.Logf("%d worlds, %+v", worlds, all)
	if worlds == 0 {
		t.Error("no world was played")
	}
}
