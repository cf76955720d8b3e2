package skip

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

const (
	// minutes is for how long worlds are played on a real server, in the environment.
	minutes = "SKIP_MINUTES"
	// usually is for how long if nobody says it.
	usually = 20 * time.Second
	// enough worlds for anybody's patience.
	enough = 100_000
)

// TestSkippingIsSafeOnARealServer plays random operators against kube-apiserver and etcd,
// world by world until the time is up. The second run of many minutes begins with the
// same worlds as the first: only what happens in between is for chance to say.
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
