package journal

import (
	"strings"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// mostFailing is of how many failing requests of a controller something is known, and shortError how much is kept of
// each error: all that fail may fail for long after their calls have left the journal.
const mostFailing, shortError = 200, 1 << 10

// Failing is a request whose last call failed.
type Failing struct {
	Controller string
	Request    delta.Key
	Error      string    // of the last call, cut
	Times      int       // calls in a row that failed
	Since      time.Time // when the first of these began
}

// judgeLocked notes whether the call's request is one that fails.
func (c *Calls) judgeLocked(call *Call) {
	if call.Result <= Requeue {
		delete(c.failing, call.Request)
		return
	}
	f, known := c.failing[call.Request]
	if !known {
		if len(c.failing) == mostFailing {
			return
		}
		f = &Failing{Controller: c.name, Request: call.Request, Since: call.Began}
		if c.failing == nil {
			c.failing = map[delta.Key]*Failing{}
		}
		c.failing[call.Request] = f
	}
	f.Times++
	f.Error = "it panicked"
	if call.Err != nil {
		f.Error = strings.Clone(path.Cut(call.Err.Error(), shortError))
	}
}

// Failing returns the requests whose last call failed, in no order, and no more than 200 of each controller.
func (j *Journal) Failing() (all []Failing) {
	for _, c := range j.controllersNamed("") {
		all = c.appendFailing(all)
	}
	return all
}

func (c *Calls) appendFailing(to []Failing) []Failing {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.failing {
		to = append(to, *f)
	}
	return to
}
