package ask

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

const (
	// prefix is where all routes begin.
	prefix = "/delta/v1/"
	// maxAnswer is far more than an inspector answers: another program may be asked.
	maxAnswer = 256 << 20
	// maxComplaint is how much of an unexpected answer can be of use.
	maxComplaint = 64 << 10
)

// Client asks one inspector.
type Client struct {
	// Base has the scheme and the host.
	Base *url.URL
	// Where names the inspector in sentences.
	Where string
	// Tokens says how to get a token for it, in an error.
	Tokens string
	// Transport carries the requests.
	Transport http.RoundTripper
	// Refrain says why the Transport adds no token, and what to do about it; nil if it adds what
	// there is.
	Refrain error
	// Timeout limits a request; zero sets no limit. It does not limit streams.
	Timeout time.Duration
}

// Get asks for a route such as "kinds", and returns the answer as it came.
func (c *Client) Get(ctx context.Context, route string, query url.Values) ([]byte, error) {
	return c.exchange(c.request(ctx, route, query))
}

// Post sends body as JSON to a route such as "actions/relist", and returns the answer as it
// came.
func (c *Client) Post(ctx context.Context, route string, body any) ([]byte, error) {
	content, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("write the request for %s: %w", route, err)
	}
	r := c.request(ctx, route, nil)
	r.Method, r.Body, r.ContentLength = http.MethodPost, io.NopCloser(bytes.NewReader(content)), int64(len(content))
	r.Header.Set("Content-Type", "application/json")
	return c.exchange(r)
}

// request returns a request for a route.
func (c *Client) request(ctx context.Context, route string, query url.Values) *http.Request {
	where := *c.Base
	where.Path, where.RawQuery = prefix+route, query.Encode()
	header := http.Header{"User-Agent": {"kubectl-delta"}}
	return (&http.Request{Method: http.MethodGet, URL: &where, Header: header}).WithContext(ctx)
}

func (c *Client) exchange(r *http.Request) ([]byte, error) {
	if c.Timeout > 0 {
		ctx, cancel := context.WithTimeoutCause(r.Context(), c.Timeout, fmt.Errorf("no answer within %s", c.Timeout))
		defer cancel()
		r = r.WithContext(ctx)
	}
	answer, err := c.send(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, c.failed(r, err)
	case len(content) > maxAnswer:
		return nil, c.failed(r, fmt.Errorf("the answer has more than %d bytes", maxAnswer))
	case !json.Valid(content):
		return nil, c.refused(answer, content)
	}
	return content, nil
}

// send returns an answer with status 200. The caller closes its body.
func (c *Client) send(r *http.Request) (*http.Response, error) {
	// A transport adds the token to each request, so a redirect could lead the token to somebody else.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	answer, err := (&http.Client{Transport: c.Transport, CheckRedirect: stay}).Do(r)
	if err != nil {
		return nil, c.failed(r, err)
	}
	if answer.StatusCode == http.StatusOK {
		return answer, nil
	}
	defer func() { _ = answer.Body.Close() }()
	content, _ := io.ReadAll(io.LimitReader(answer.Body, maxComplaint)) // what came of it is still of use
	return nil, c.refused(answer, content)
}

// Into reads an answer as one of v1's types.
func Into[T any](answer []byte) (T, error) {
	var into T
	if err := json.Unmarshal(answer, &into); err != nil {
		return into, fmt.Errorf("read the answer as %T, which another version of the inspector may have sent: %w", into, err)
	}
	return into, nil
}

// Failure says in a sentence what was asked, which operator was asked, why it failed, and what to try.
type Failure struct {
	error

	// Status is zero if no answer came.
	Status int
	// Explained is an answer in which the inspector says why.
	Explained bool
}

// Unwrap returns the reasons.
func (f *Failure) Unwrap() error { return f.error }

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
	return ok && failure.Status == http.StatusNotFound && failure.Explained
}

// because says what was asked, and why it failed.
func (c *Client) because(r *http.Request, err error, try string) error {
	text := strings.ToLower(r.Method) + " " + strings.TrimPrefix(r.URL.Path, prefix) + " from " + c.Where
	if try == "" {
		return fmt.Errorf("%s: %w", text, err)
	}
	return fmt.Errorf("%s: %w; %s", text, err, try)
}

// failed is a request without an answer.
func (c *Client) failed(r *http.Request, err error) error {
	if cause := context.Cause(r.Context()); cause != nil {
		err = cause
	}
	if through, ok := errors.AsType[*url.Error](err); ok {
		err = through.Err // the rest of it is what we were doing
	}
	return &Failure{error: c.because(r, err, afterError(err))}
}

// refused is an answer that is none.
func (c *Client) refused(answer *http.Response, content []byte) error {
	var problem v1.Problem
	if json.Unmarshal(content, &problem) != nil {
		problem.Message = ""
	}
	failure := &Failure{Status: answer.StatusCode, Explained: problem.Message != ""}
	err := errors.New(problem.Message)
	if !failure.Explained {
		err = unexpected(answer, content)
	}
	// Some filters take a request without a token for one of anybody, who has no right.
	anybody := failure.Status == http.StatusForbidden && !failure.Explained
	if c.Refrain != nil && (failure.Status == http.StatusUnauthorized || anybody) {
		failure.error = c.because(answer.Request, fmt.Errorf("%w; %w", err, c.Refrain), "")
	} else {
		failure.error = c.because(answer.Request, err, afterStatus(failure.Status, failure.Explained, string(content), c.Tokens))
	}
	return failure
}

// unexpected quotes the first line of an answer that the inspector did not give.
func unexpected(answer *http.Response, content []byte) error {
	line, _, _ := strings.Cut(strings.TrimSpace(string(content)), "\n")
	switch {
	case answer.StatusCode == http.StatusOK:
		return fmt.Errorf("the answer is not JSON: %.200q", line)
	case line == "":
		return fmt.Errorf("the answer is %s", answer.Status)
	default:
		return fmt.Errorf("the answer is %s: %.200q", answer.Status, line)
	}
}
