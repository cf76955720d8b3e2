package lifecycle

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestSleep waits for the time, or for the end of the context.
func TestSleep(t *testing.T) {
	for limit, whole := range map[time.Duration]bool{time.Minute: false, time.Hour: true} {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), limit)
			defer stop()
			began := time.Now()
			alive := Sleep(ctx, 2*time.Minute)
			if slept := time.Since(began); alive != whole || slept != min(limit, 2*time.Minute) {
				t.Errorf("with %v left it slept %v, and the context is alive: %t", limit, slept, alive)
			}
		})
	}
}
