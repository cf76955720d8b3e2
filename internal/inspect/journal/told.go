package journal

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
)

// longestError is how much of an error's text is kept, in bytes.
const longestError = 4 << 10

// textOnly returns an error that has the text of another one and nothing else, and how long that is. An
// error may hold anything, and nobody could say how large that is.
func textOnly(err error) (kept error, bytes int64) { //nolint:revive,staticcheck // the error is what is asked for, and not a failure
	if err == nil {
		return nil, 0
	}
	text := strings.Clone(path.Ends(fmt.Sprint(err), longestError)) // Sprint also takes an error whose text panics
	return errors.New(text), int64(len(text))
}

// told returns a call whose errors are their texts.
func told(call Call) Call {
	call.Err, call.texts = textOnly(call.Err)
	call.Steps = slices.Clone(call.Steps)
	for i := range call.Steps {
		var bytes int64
		call.Steps[i].Err, bytes = textOnly(call.Steps[i].Err)
		call.texts += bytes
	}
	return call
}
