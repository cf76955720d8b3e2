package ask

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// Failure says in a sentence what was asked, which operator was asked, why it failed, and what to try.
type Failure struct {
	Doing string
	Where string
	// Status is zero if no answer came.
	Status int
	// Err is the reason.
	Err error
	// Try is empty if nothing is known to help.
	Try string
	// refrain is why the request had no token, if the inspector asks for one.
	refrain error
}

func (f *Failure) Error() string {
	return strings.TrimSuffix(fmt.Sprintf("%s from %s: %v; %s", f.Doing, f.Where, f.Err, f.Try), "; ")
}

// Unwrap returns the reason, and why there was no token.
func (f *Failure) Unwrap() error { return errors.Join(f.Err, f.refrain) }

// Lasting reports whether the same request would fail again: the inspector has answered, and
// does not want it.
func Lasting(err error) bool {
	failure, ok := errors.AsType[*Failure](err)
	return ok && failure.Status >= 400 && failure.Status < 500 &&
		failure.Status != http.StatusTooManyRequests && failure.Status != http.StatusRequestTimeout
}

// Missing reports whether the inspector does not have what was asked for.
func Missing(err error) bool {
	failure, ok := errors.AsType[*Failure](err)
	return ok && failure.Status == http.StatusNotFound && failure.Try == ""
}

// refused is an answer that is none.
func (c *Client) refused(r request, answer *http.Response, content []byte) error {
	failure := &Failure{Doing: r.doing(), Where: c.Where, Status: answer.StatusCode, Err: unexpected(answer, content)}
	var problem v1.Problem
	if err := json.Unmarshal(content, &problem); err == nil && problem.Message != "" {
		failure.Err = errors.New(problem.Message)
	} else {
		problem.Message = ""
	}
	failure.Try = c.Way.afterStatus(answer.StatusCode, problem.Message, string(content))
	// Some filters take a request without a token for one of anybody, who has no right.
	if asks := answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden && problem.Message == ""; asks && c.Refrain != nil {
		failure.Try, failure.refrain = c.Refrain.Error(), c.Refrain
	}
	return failure
}

// unexpected quotes the first line of an answer that the inspector did not give.
func unexpected(answer *http.Response, content []byte) error {
	const most = 200
	line, _, _ := strings.Cut(strings.TrimSpace(string(content)), "\n")
	if runes := []rune(line); len(runes) > most {
		line = string(runes[:most]) + "…"
	}
	if answer.StatusCode == http.StatusOK {
		return fmt.Errorf("the answer is not JSON: %q", line)
	}
	if line == "" {
		return fmt.Errorf("the answer is %s", answer.Status)
	}
	return fmt.Errorf("the answer is %s: %q", answer.Status, line)
}
