package inspector

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"time"
)

const (
	// longestAnswer is how many bytes an answer has at most.
	longestAnswer = 2 << 20
	// mostAnswers is how many answers are made or sent at the same time. A reader that does not
	// read holds one until the time limit of writing is over.
	mostAnswers = 8
)

// AskForLess is what to do about an answer that is cut. Its lists begin with what is newest or most urgent.
const AskForLess = "Ask with a smaller limit, or for one kind, controller, namespace or name."

// admit waits for a place among the answers that are made. The caller calls leave when the answer has
// been sent.
func (h *handler) admit(c *call) (leave func(), err error) {
	leave = func() { <-h.answers }
	select {
	case h.answers <- struct{}{}:
		return leave, nil
	default:
	}
	patience := time.NewTimer(h.pace.queue)
	defer patience.Stop()
	select {
	case h.answers <- struct{}{}:
		return leave, nil
	case <-c.r.Context().Done():
		return nil, c.r.Context().Err()
	case <-patience.C:
		return nil, refuse(http.StatusTooManyRequests, "%d answers are being made or sent already, and that is the limit", mostAnswers)
	}
}

// encode makes the JSON of an answer. A list that is too long is cut, and says so.
func encode(of any) ([]byte, error) {
	content, err := json.Marshal(of)
	if err != nil || len(content) <= longestAnswer {
		return content, err
	}
	list := reflect.ValueOf(of).Elem()
	items, cut := list.FieldByName("Items"), list.FieldByName("Cut")
	if !items.IsValid() || !cut.IsValid() {
		return nil, fmt.Errorf("it has %d bytes, and %d are the most", len(content), longestAnswer)
	}
	for all, shown := items.Len(), items.Len(); shown > 0 && len(content) > longestAnswer; {
		shown = min(shown-1, shown*longestAnswer/len(content))
		items.SetLen(shown)
		cut.SetString(fmt.Sprintf("%d of %d are shown: the answer has room for no more. %s", shown, all, AskForLess))
		if content, err = json.Marshal(of); err != nil {
			return nil, err
		}
	}
	return content, nil
}
