package ask

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"

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
	text := fmt.Sprintf("%s from %s: %v", f.Doing, f.Where, f.Err)
	if f.Try != "" {
		text += "; " + f.Try
	}
	return text
}

// Unwrap returns the reason, and why there was no token.
func (f *Failure) Unwrap() error { return errors.Join(f.Err, f.refrain) }

// Lasting reports whether the same request would fail again: the inspector has answered, and
// does not want it.
func Lasting(err error) bool {
	var failure *Failure
	return errors.As(err, &failure) && failure.Status >= 400 && failure.Status < 500 &&
		failure.Status != http.StatusTooManyRequests && failure.Status != http.StatusRequestTimeout
}

// Missing reports whether the inspector does not have what was asked for.
func Missing(err error) bool {
	var failure *Failure
	return errors.As(err, &failure) && failure.Status == http.StatusNotFound && failure.Try == ""
}

// refused is an answer that is none.
func (c *Client) refused(r request, answer *http.Response, content []byte) error {
	failure := &Failure{Doing: r.doing(), Where: c.where, Status: answer.StatusCode}
	var problem v1.Problem
	if err := json.Unmarshal(content, &problem); err == nil && problem.Message != "" {
		failure.Err = errors.New(problem.Message)
	} else {
		problem.Message = ""
		failure.Err = unexpected(answer, content)
	}
	failure.Try = tryAfterStatus(answer.StatusCode, problem.Message, content)
	// Some filters take a request without a token for one of anybody, who has no right.
	if asks := answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden && problem.Message == ""; asks && c.refrain != nil {
		failure.Try, failure.refrain = c.refrain.Error(), c.refrain
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

// tryAfterStatus says what may help. explained is what the inspector itself has said about it.
func tryAfterStatus(status int, explained string, content []byte) string {
	switch {
	case status == http.StatusUnauthorized:
		return "it needs a token that it accepts: use --as-service-account NAMESPACE/NAME, --token or --token-file"
	case status == http.StatusBadRequest && strings.Contains(string(content), "HTTP request to an HTTPS server"):
		return "use --scheme https"
	case explained != "":
		return ""
	case status == http.StatusForbidden:
		return `the account needs a ClusterRole with the verb get on the nonResourceURLs ["/delta/*"], and post on ["/delta/v1/actions/*"] ` +
			"for what changes something; or use another account with --as-service-account NAMESPACE/NAME"
	case status == http.StatusNotFound:
		return "nothing serves the inspector there: switch it on in the operator, or use --port for the port that it is on"
	case status >= 300 && status < 400 || status == http.StatusOK:
		return "that may not be an inspector: check --url, or --operator and --port"
	default:
		return ""
	}
}

// tryAfter says what may help where no answer came.
func tryAfter(err error) string {
	var (
		unknown  x509.UnknownAuthorityError
		name     x509.HostnameError
		invalid  x509.CertificateInvalidError
		protocol tls.RecordHeaderError
	)
	text := err.Error()
	switch {
	case errors.As(err, &unknown), errors.As(err, &name), errors.As(err, &invalid), strings.Contains(text, "x509:"):
		return "if you know that the address is the operator's, use --insecure-skip-tls-verify"
	case errors.As(err, &protocol), strings.Contains(text, "HTTP response to HTTPS client"):
		return "the port speaks no TLS: use --scheme http"
	case strings.Contains(text, "malformed HTTP response"):
		return "the port may speak TLS: use --scheme https"
	case errors.Is(err, syscall.ECONNREFUSED), strings.Contains(text, "connection refused"):
		return "nothing listens there: check that the operator runs and serves its inspector, and use --port for its port"
	default:
		return ""
	}
}
