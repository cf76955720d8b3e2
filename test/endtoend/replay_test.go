package endtoend

import (
	"bytes"
	"io"
	"net/http"
)

// replay has lists come from memory: it reads one to its end and holds it back until somebody says so. From then on
// the list costs nothing but the reading of its bytes.
type replay struct {
	next    http.RoundTripper
	holds   chan struct{} // has an element while the next list is to be held back
	there   chan struct{} // gets one when all of it is there
	release chan struct{} // and one when it may go on
}

func newReplay() *replay {
	return &replay{holds: make(chan struct{}, 1), there: make(chan struct{}), release: make(chan struct{})}
}

// wrap is for rest.Config.Wrap.
func (r *replay) wrap(next http.RoundTripper) http.RoundTripper {
	r.next = next
	return r
}

// RoundTrip is http.RoundTripper.
func (r *replay) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := r.next.RoundTrip(request)
	if err != nil || answer.StatusCode != http.StatusOK || request.URL.Query().Get("watch") == "true" {
		return answer, err
	}
	select {
	case <-r.holds:
	default:
		return answer, nil
	}
	defer answer.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	answer.Body = io.NopCloser(bytes.NewReader(text))
	r.there <- struct{}{}
	<-r.release
	return answer, nil
}

// relist has the informer list once more, and returns when the answer is there. The function goes on.
func (r *replay) relist(expire func() error) (goOn func() error, err error) {
	r.holds <- struct{}{}
	if err := expire(); err != nil {
		return nil, err
	}
	<-r.there
	return func() error { r.release <- struct{}{}; return nil }, nil
}
