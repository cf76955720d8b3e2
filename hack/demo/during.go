package main

import (
	"context"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/lifecycle"
)

// beat is the longest time without output while the demo waits for something.
const beat = 10 * time.Second

// during does some work, and says at every beat what the demo waits for.
func (p *printer) during(ctx context.Context, what string, work func(context.Context) error) error {
	group := lifecycle.New(ctx)
	group.Guest("beat", func(ctx context.Context) {
		ticker, start := time.NewTicker(beat), time.Now()
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				p.note("still waiting until " + what + ", since " + time.Since(start).Round(time.Second).String())
			}
		}
	})
	err := context.Cause(ctx) // a Group returns this error if it had already ended
	group.Go(what, func(ctx context.Context) error {
		err = work(ctx)
		return err
	})
	_ = group.Wait() // the Group ignores an error that comes after the end of ctx
	return err
}
