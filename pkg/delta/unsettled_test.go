package delta_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// TestAReconcilerThatNeverSettles is told so once, when it has had the time to settle, and no other reconciler is.
func TestAReconcilerThatNeverSettles(t *testing.T) {
	for name, tt := range map[string]struct {
		pause   time.Duration // between two calls
		success int           // one of so many calls succeeds; zero for none
		want    bool
	}{
		"polls":                  {time.Minute, 0, true},
		"waits for a moment":     {time.Second, 0, false},
		"settles now and then":   {time.Minute, 10, false},
		"is called twice an age": {time.Hour, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var lines []string
				log := funcr.New(func(_, args string) { lines = append(lines, args) }, funcr.Options{})
				l := delta.NewLedger[string](delta.LedgerOptions{Log: log})
				for n := range 100 {
					l.Take("r")
					how := delta.Unfinished
					if tt.success > 0 && n%tt.success == 0 {
						how = delta.Succeeded
					}
					l.Settle("r", how)
					time.Sleep(tt.pause)
				}
				status := l.Status()
				if tt.want != (len(lines) == 1 && strings.Contains(lines[0], "delta.Settle")) || !tt.want && len(lines) > 0 {
					t.Errorf("the log has %q", lines)
				}
				if tt.want != (status.Advice != "") || (status.Unsettled == 0) != (tt.success > 0 && 99%tt.success == 0) {
					t.Errorf("the status has the advice %q, and %d calls", status.Advice, status.Unsettled)
				}
				l.Take("r")
				l.Settle("r", delta.Succeeded)
				if status := l.Status(); status.Advice != "" || status.Unsettled != 0 {
					t.Errorf("after a success: %+v", status)
				}
			})
		})
	}
}
