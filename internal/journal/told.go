package journal

import (
	"errors"
	"fmt"
	"strings"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// longestError is how much of an error's text is kept, in bytes.
const longestError = 4 << 10

// textOnly returns an error that has the text of another one and nothing else. An error may hold
// anything, and nobody could say how large that is.
func textOnly(err error) (kept error) {
	if err == nil {
		return nil
	}
	defer func() {
		if p := recover(); p != nil { // nobody asked for a journal, so this must not cost a reconcile
			kept = fmt.Errorf("the text of a %T panicked", err)
		}
	}()
	text := err.Error()
	if len(text) > longestError {
		text = strings.ToValidUTF8(text[:longestError], "") + "…"
	}
	return errors.New(strings.Clone(text))
}

// told returns a call whose errors are their texts, and the bytes of these.
func told(call Call) (kept Call, bytes int64) {
	if call.Err = textOnly(call.Err); call.Err != nil {
		bytes += int64(len(call.Err.Error()))
	}
	steps := make([]delta.StepReport, len(call.Steps))
	for i, s := range call.Steps {
		if s.Err = textOnly(s.Err); s.Err != nil {
			bytes += int64(len(s.Err.Error()))
		}
		steps[i] = s
	}
	if len(steps) > 0 {
		call.Steps = steps
	}
	return call, bytes
}
