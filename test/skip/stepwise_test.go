package skip

import (
	"context"
	"errors"
	"fmt"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// errStumbled is the error of a step that the world wants to fail.
var errStumbled = errors.New("the step stumbles, as the world wants it")

// stepOf returns the step that a job is.
func (c *call) stepOf(ctx context.Context, j *job) delta.Step {
	step := delta.Plan(ctx).On(j.kind.example(j.example), j.depends(c.settled)...)
	if j.relation == byMention {
		step = step.On(c.primary().example(j.example), c.primary().ref.path)
	}
	if j.notOnResync {
		step = step.NotOnResync()
	}
	return step
}

// step does a job as a step of a plan. A reconciler may go on after a step that has failed, as if all were well.
func (c *call) step(ctx context.Context, j *job) error {
	ran := false
	err := c.stepOf(ctx, j).Do(fmt.Sprint("job ", j.n), func(ctx context.Context) error {
		ran = true
		err := c.do(ctx, j)
		if err == nil && c.has(failures) && !c.calm.Load() && c.roll(8, "stumble", j.n) == 0 {
			err = errStumbled
		}
		return err
	})
	c.count(func(n *counts) {
		n.steps++
		if !ran {
			n.spared++
		}
	})
	switch {
	case !ran:
		c.note(func() string { return fmt.Sprintf("%s skips step %s", c, j) })
		c.judgeStep(j)
	case err == nil:
		c.owe(j, "")
	default:
		c.note(func() string { return fmt.Sprintf("%s fails at job %d: %v", c, j.n, err) })
		c.stumped = true
		c.owe(j, "it has failed, and has not succeeded since")
		if c.roll(2, "swallow", j.n) == 0 {
			return nil
		}
	}
	return err
}

// owe notes why a step may not be skipped from now on, or that it may.
func (c *call) owe(j *job, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch m := c.aboutLocked(c.request); {
	case c.in.dead.Load():
	case why == "":
		delete(m.owed, j.n)
	default:
		m.owed[j.n] = why
	}
}

// passesBy reports whether the call does not come to a step: the step is behind an if, or the reconciler has returned.
func (c *call) passesBy(j *job) bool {
	if c.calm.Load() {
		return false
	}
	c.away = c.away || c.roll(12, "away", j.n) == 0
	if !c.away && c.roll(10, "pass", j.n) > 0 {
		return false
	}
	c.note(func() string { return fmt.Sprintf("%s does not come to job %d", c, j.n) })
	c.passed = append(c.passed, j)
	return true
}

// judgeStep checks the promise for a step that was skipped.
func (c *call) judgeStep(j *job) {
	c.mu.Lock()
	why := c.aboutLocked(c.request).owed[j.n]
	dead := c.in.dead.Load()
	c.mu.Unlock()
	switch {
	case dead:
		return
	case why != "":
		c.fail("%s has skipped step %s, although %s", c, j, why)
	case !c.told.Complete():
		c.fail("%s has skipped step %s, although the changes are not complete", c, j)
	case c.told.Has(delta.Resync) && !j.notOnResync:
		c.fail("%s was called for a resync, and has skipped step %s", c, j)
	}
	c.judgeValues(j)
}
