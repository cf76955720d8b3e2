package journal

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// MostFailing is of how many failing requests of a controller something is known, and shortError how much is kept of
// each error: all that fail may fail for long after their calls have left the journal.
const MostFailing, shortError = 100, 512

// Failing is a request whose last call failed.
type Failing struct {
	Controller string
	Request    delta.Key
	Error      string    // of the last call, without its middle if it is long
	Same       string    // is that of other requests, too, if they fail for the same reason
	Times      int       // calls in a row that failed, since the journal knows of the request
	Since      time.Time // when the first of these began
	Last       time.Time // when the last of these began
}

// failure describes a call that failed. It is made without a lock.
func failure(call *Call) *Failing {
	if call.Result <= Requeue {
		return nil
	}
	f := &Failing{Request: call.Request, Error: "it panicked", Times: 1, Since: call.Began, Last: call.Began}
	if call.Err != nil {
		f.Error = call.Err.Error()
	}
	f.Same, f.Error = strings.Clone(path.Ends(sameOf(f), shortError)), strings.Clone(path.Ends(f.Error, shortError))
	return f
}

// What differs from request to request in errors of one reason: a quoted name of the request, or of what is called after it, UIDs
// and other long numbers, and our end of a connection.
var (
	quoted  = regexp.MustCompile(`"[^"]*"`)
	varying = regexp.MustCompile(`\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{12,}\b|\S+:\d+->`)
)

// sameOf is the error without what differs from request to request.
func sameOf(f *Failing) string {
	text := path.Ends(f.Error, longestError)
	if f.Request.Namespace != "" {
		text = strings.ReplaceAll(text, f.Request.String(), "…")
	}
	text = quoted.ReplaceAllStringFunc(text, func(in string) string {
		if hasWord(in, f.Request.Name) {
			return "…"
		}
		return in
	})
	return varying.ReplaceAllString(text, "…")
}

// hasWord reports whether a text has a word, and not only as a part of a longer one.
func hasWord(text, word string) bool {
	if word == "" || !strings.Contains(text, word) {
		return false
	}
	found, err := regexp.MatchString(`\b`+regexp.QuoteMeta(word)+`\b`, text)
	return found && err == nil
}

// judgeLocked notes how a request's last call ended. There is no room for all: the one that has failed longest ago makes room.
func (c *Calls) judgeLocked(request delta.Key, failed *Failing) {
	if failed == nil {
		delete(c.failing, request)
		return
	}
	failed.Controller = c.name
	if before, known := c.failing[request]; known {
		failed.Times, failed.Since = before.Times+1, before.Since
	} else if len(c.failing) == MostFailing {
		quietest := slices.MinFunc(slices.Collect(maps.Values(c.failing)), func(a, b *Failing) int { return a.Last.Compare(b.Last) })
		delete(c.failing, quietest.Request)
	}
	c.failing[request] = failed
}

// Dismiss forgets that a request fails: nobody will call it again for that.
func (c *Calls) Dismiss(request delta.Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.failing, request)
}

// Failing returns the requests whose last call failed, in no order. Of a controller with 100 of them there may be more.
func (j *Journal) Failing() (all []Failing) {
	for _, c := range j.controllersNamed("") {
		all = c.appendFailing(all)
	}
	return all
}

// FailureOf returns how a request fails, also if its calls are not remembered any more.
func (j *Journal) FailureOf(controller string, request delta.Key) (Failing, bool) {
	for _, c := range j.controllersNamed(controller) {
		if f := c.failureOf(request); f != nil {
			return *f, true
		}
	}
	return Failing{}, false
}

// failureOf is nil if the request does not fail. A Failing never changes once it is noted.
func (c *Calls) failureOf(request delta.Key) *Failing {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failing[request]
}

func (c *Calls) appendFailing(to []Failing) []Failing {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.failing {
		to = append(to, *f)
	}
	return to
}
