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
	"time"
)

const (
	// prefix is where all routes begin.
	prefix = "/delta/v1/"
	// maxAnswer is larger than what an inspector with full journals answers.
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
	// Way is how the requests get there.
	Way Way
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
	return c.exchange(ctx, request{method: http.MethodGet, route: route, query: query})
}

// Post sends body as JSON to a route such as "actions/relist", and returns the answer as it
// came.
func (c *Client) Post(ctx context.Context, route string, body any) ([]byte, error) {
	content, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("write the request for %s: %w", route, err)
	}
	return c.exchange(ctx, request{method: http.MethodPost, route: route, content: content})
}

// request is one request to come.
type request struct {
	method, route string
	query         url.Values
	content       []byte
	header        http.Header
}

func (c *Client) exchange(ctx context.Context, r request) ([]byte, error) {
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.Timeout, fmt.Errorf("no answer within %s", c.Timeout))
		defer cancel()
	}
	answer, err := c.send(ctx, r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, c.failed(ctx, r, err)
	case len(content) > maxAnswer:
		return nil, c.failed(ctx, r, fmt.Errorf("the answer has more than %d bytes", maxAnswer))
	case !json.Valid(content):
		return nil, c.refused(r, answer, content)
	}
	return content, nil
}

// send returns an answer with status 200. The caller closes its body.
func (c *Client) send(ctx context.Context, r request) (*http.Response, error) {
	where := *c.Base
	where.Path, where.RawQuery = prefix+r.route, r.query.Encode()
	req, err := http.NewRequestWithContext(ctx, r.method, where.String(), bytes.NewReader(r.content))
	if err != nil {
		return nil, c.failed(ctx, r, err)
	}
	for name, values := range r.header {
		req.Header[name] = values
	}
	req.Header.Set("User-Agent", "kubectl-delta")
	if r.content != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	// A transport adds the token to each request, so a redirect could lead the token to somebody else.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	answer, err := (&http.Client{Transport: c.Transport, CheckRedirect: stay}).Do(req)
	if err != nil {
		return nil, c.failed(ctx, r, err)
	}
	if answer.StatusCode == http.StatusOK {
		return answer, nil
	}
	defer func() { _ = answer.Body.Close() }()
	content, _ := io.ReadAll(io.LimitReader(answer.Body, maxComplaint)) // what came of it is still of use
	return nil, c.refused(r, answer, content)
}

// Into reads an answer as one of v1's types.
func Into[T any](answer []byte) (T, error) {
	var into T
	if err := json.Unmarshal(answer, &into); err != nil {
		return into, fmt.Errorf("read the answer as %T, which another version of the inspector may have sent: %w", into, err)
	}
	return into, nil
}

// failed is a request without an answer.
func (c *Client) failed(ctx context.Context, r request, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if through, ok := errors.AsType[*url.Error](err); ok {
		err = through.Err // the rest of it is what we were doing, which the Failure says
	}
	return &Failure{Doing: r.doing(), Where: c.Where, Err: err, Try: c.Way.afterError(err)}
}

// doing says what a request is for.
func (r request) doing() string {
	if r.method == http.MethodPost {
		return "post " + r.route
	}
	return "get " + r.route
}
