package inspector

import (
	"net/http"
	"time"
)

const (
	// LongestAnswer is how many bytes an answer has at most. A subject leaves out the rest, and says so.
	LongestAnswer = 2 << 20
	// mostAnswers is how many answers are made or sent at the same time. A reader that does not
	// read holds one until the time limit of writing is over.
	mostAnswers = 8
)

// admit waits for a place among the answers that are made. The caller calls leave when the answer has
// been sent.
func (h *handler) admit(c *call) (leave func(), err error) {
	patience := time.NewTimer(h.pace.queue)
	defer patience.Stop()
	select {
	case h.answers <- struct{}{}:
		return func() { <-h.answers }, nil
	case <-c.r.Context().Done():
		return nil, c.r.Context().Err()
	case <-patience.C:
		return nil, refuse(http.StatusTooManyRequests, "%d answers are being made or sent already, and that is the limit", mostAnswers)
	}
}
