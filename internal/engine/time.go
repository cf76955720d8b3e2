package engine

import (
	"context"
	"time"
)

// watchEvery is how often subscribers are looked at, and so how exactly it is known since
// when one has been in its handler.
const watchEvery = time.Second

// keepTime does what has its time, until ctx ends: it begins resyncs when they are due, and
// looks each second at subscribers and for mutations.
func keepTime(ctx context.Context, r *resyncer, eachSecond func(now time.Time)) error {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case now := <-ticker.C:
			eachSecond(now)
		case <-r.changed:
			r.turn(timer)
		case <-timer.C:
			r.turn(timer)
		}
	}
}
